package org.apache.spark.eventhubs.sim

import java.util.SplittableRandom
import java.util.concurrent.locks.LockSupport

import scala.collection.mutable
import scala.util.control.ControlThrowable

import org.apache.spark.util.Clock

/**
 * The virtual time of one run and everything that may happen next. One thread runs the connector. Where the connector
 * reads the clock, waits or calls the service, it calls the world, which lets other things happen first. So a run
 * depends on its seed alone.
 */
private[spark] final class World(seed: Long) {

  private val random = new SplittableRandom(seed)
  private val due = mutable.PriorityQueue.empty[World.Due](Ordering.by(d => (-d.atMillis, -d.tie, -d.order)))
  private var order = 0L
  private var nowMillis = World.StartMillis
  private var lastMoveAt = 0L
  private var steps = 0L
  private var interruption = Option.empty[(Long, Throwable)]
  private val waiting = mutable.ArrayBuffer.empty[(Long, () => Unit)]
  private val armed = mutable.ArrayBuffer.empty[(Long, () => Unit)]

  /** Checked whenever the connector calls the world. */
  var endMillis: Long = Long.MaxValue

  def now: Long = nowMillis

  /** How often the connector has called the world. */
  def stepCount: Long = steps

  def between(low: Long, high: Long): Long = if (high <= low) low else random.nextLong(low, high + 1)

  def chance(probability: Double): Boolean = random.nextDouble() < probability

  def pick[A](of: IndexedSeq[A]): A = of(random.nextInt(of.length))

  /** A delay that is mostly short and sometimes long. */
  def delay(shortest: Long, longest: Long): Long =
    shortest + ((longest - shortest) * math.pow(random.nextDouble(), 4)).toLong

  /** Lets `action` happen after some time. What is due at the same moment happens in an order that the seed decides. */
  def after(millis: Long)(action: => Unit): Unit = {
    order += 1
    due += new World.Due(nowMillis + math.max(0L, millis), random.nextInt(), order, () => action)
    ()
  }

  /** Lets `action` happen at the n-th step of the next batch: most of the time a query only waits for its trigger. */
  def inNextBatch(step: Long)(action: => Unit): Unit = waiting += ((step, () => action))

  def batchBegins(): Unit = {
    armed ++= waiting.map { case (step, action) => (steps + step, action) }
    waiting.clear()
  }

  /** The connector throws `cause` at the n-th of its next steps. */
  def interruptAt(step: Long, cause: Throwable): Unit = interruption = Some((steps + step, cause))

  def forgetInterruption(): Unit = interruption = None

  /** Called at each step of the connector. The process of a crashed driver does nothing more, so it throws again. */
  def step(): Unit = {
    steps += 1
    while (armed.nonEmpty && armed.exists(_._1 <= steps)) armed.remove(armed.indexWhere(_._1 <= steps))._2()
    interruption.foreach { case (at, cause) => if (steps >= at) throw cause }
    if (nowMillis > endMillis) throw World.Over
    if (steps - lastMoveAt > World.StepsWithoutTime)
      throw new World.Stuck(s"${World.StepsWithoutTime} steps without any time passing")
  }

  /** Lets the next thing happen, or time pass until `untilMillis`, whichever is first. */
  def advance(untilMillis: Long): Unit =
    if (due.nonEmpty && due.head.atMillis <= untilMillis) {
      val next = due.dequeue()
      moveTo(next.atMillis)
      next.action()
    } else moveTo(untilMillis)

  def runUntil(millis: Long): Unit = {
    step()
    while (nowMillis < millis || due.nonEmpty && due.head.atMillis <= millis) {
      advance(millis)
      step()
    }
  }

  /** A task looks whether something has come. Threads wake late, so some time passes. */
  def taskWaits(): Unit = {
    step()
    // The queue of a receiver parks its thread next. With a permit it returns at once.
    LockSupport.unpark(Thread.currentThread)
    advance(nowMillis + between(1, World.LongestPark))
  }

  private def moveTo(millis: Long): Unit = if (millis > nowMillis) {
    nowMillis = millis
    lastMoveAt = steps
  }

  object clock extends Clock {
    override def getTimeMillis(): Long = {
      step()
      nowMillis
    }
    override def nanoTime(): Long = getTimeMillis() * 1000000L
    override def waitTillTime(targetTime: Long): Long = {
      runUntil(targetTime)
      nowMillis
    }
  }
}

private[spark] object World {

  private val StartMillis = 1000000L
  private val StepsWithoutTime = 200000L
  private val LongestPark = 300L

  /** The run has reached its end. */
  object Over extends ControlThrowable

  /** The driver's process was killed, and with it those of its executors. */
  object DriverCrash extends ControlThrowable

  /** The executor's process was killed. */
  object ExecutorCrash extends ControlThrowable

  /** The connector works without any time passing. */
  final class Stuck(text: String) extends ControlThrowable {
    override def getMessage: String = text
  }

  private final class Due(val atMillis: Long, val tie: Int, val order: Long, val action: () => Unit)
}
