package org.apache.spark.eventhubs.send

import java.time.Duration

import scala.collection.mutable

import org.apache.spark.eventhubs.connection.ProducerLease
import org.apache.spark.eventhubs.retry.CancellableWait
import org.apache.spark.util.Clock

/**
 * Sends the full batches of one task, to all its hubs. The limits on unconfirmed batches are over all of them. One
 * thread uses it at a time, and only the task's thread waits.
 *
 * @param results of the sends to all hubs
 * @param permit  asked before each batch is given to a connection, and in each wait
 */
private[eventhubs] final class BatchSender(limits: SendLimits, results: SendResults, clock: Clock, permit: SendPermit) {

  private val hubs = mutable.ArrayBuffer.empty[HubSender]
  private val unconfirmed = new UnconfirmedBatches(limits)

  // Set at their first use, so that an interrupt of `abandon` does not move them.
  private lazy val answersDeadline = clock.nanoTime() + Seq(limits.silence, limits.sendTimeout).min.toNanos
  private lazy val arrivalDeadline = {
    val now = clock.nanoTime()
    now + hubs.map(_.arrivalTime()).foldLeft(Duration.ZERO)((a, b) => if (a.compareTo(b) > 0) a else b).toNanos
  }

  /** @param onAccepted called for each batch that this hub has accepted */
  def open(
      lease: ProducerLease,
      delivery: BatchDelivery,
      onAccepted: InFlightBatch => Unit
  ): HubSender = {
    val hub = new HubSender(lease, limits, unconfirmed, results, clock, permit, delivery, onAccepted)
    hubs += hub
    hub
  }

  /** Totals of the confirmed batches. */
  def totals: SendTotals = unconfirmed.totals

  /** Totals, assuming every submitted batch is confirmed. */
  def submitted: SendTotals = unconfirmed.submitted

  /** Queues a full batch for a hub. Waits while too much is unconfirmed. */
  def submit(hub: HubSender, batch: InFlightBatch): Unit = {
    while (!unconfirmed.hasRoom(batch.bytes)) waitForResult()
    unconfirmed.add(batch)
    hub.start(batch)
  }

  /** Whether [[submit]] would not wait. */
  def hasRoom(bytes: Int): Boolean = unconfirmed.hasRoom(bytes)

  /**
   * For a thread that must not wait: handles the results that have arrived, and sends what may be sent.
   *
   * @return when more may be sent even if no result arrives, as `nanoTime`
   */
  def advance(): Option[Long] = {
    unconfirmed.check()
    handleAll(results.poll())
    hubs.foreach(_.endLostAttempts())
    hubs.foreach(_.startQueues(mayWait = false))
    // It may have passed since then, and counts too. What is left to the task has no time.
    earliest(hubs.iterator.filterNot(_.isLeftToTask))
  }

  /** Handles the results that have arrived, without waiting. Called for each event, so it must be cheap. */
  def handleResults(): Unit = {
    unconfirmed.check()
    if (!unconfirmed.isEmpty) {
      val handled = handleAll(results.poll())
      if (handled || isStartDue) startQueues()
    }
  }

  /** Waits until everything is confirmed. */
  def awaitAll(): Unit = while (!unconfirmed.isEmpty) waitForResult()

  /**
   * For a task that gives up, also when it is cancelled: waits for the results of all batches on the wire until the SDK
   * must have lost those that are left, and aborts the connections that gave none. When one of them has stalled, waits
   * until nothing of it can arrive, because the next attempt and the next run of the query do not know about it.
   *
   * @throws java.lang.InterruptedException when the thread is interrupted; a repeat continues the wait
   */
  def abandon(): Unit = {
    while (hubs.exists(_.isOnWire) && clock.nanoTime() - answersDeadline < 0)
      results.await(answersDeadline - clock.nanoTime()).foreach(result => result.sender.noteAnswer(result))
    hubs.foreach(_.abortUnanswered())
    CancellableWait(clock, arrivalDeadline - clock.nanoTime(), checkCancelled = () => ())
    hubs.foreach(_.close())
  }

  private def waitForResult(): Unit = {
    unconfirmed.check()
    permit.check()
    startQueues()
    val untilStart = nextStart.fold(BatchSender.PollNanos)(_ - clock.nanoTime())
    val handled = handleAll(results.await(math.max(0, math.min(BatchSender.PollNanos, untilStart))))
    hubs.foreach(_.endLostAttempts())
    if (!handled) hubs.foreach(_.failOverdue())
    startQueues()
  }

  private def handleAll(first: Option[SendResult]): Boolean = {
    var next = first
    while (next.isDefined) {
      next.get.sender.handle(next.get)
      next = results.poll()
    }
    first.isDefined
  }

  private def startQueues(): Unit = hubs.foreach(_.startQueues(mayWait = true))

  /** Without closures, because it is asked for each event. */
  private def isStartDue: Boolean = {
    var i = 0
    var isDue = false
    while (i < hubs.length && !isDue) {
      if (hubs(i).isLeftToTask) isDue = true
      else if (hubs(i).hasQueuesToStart) isDue = hubs(i).nextStart.exists(_ - clock.nanoTime() <= 0)
      i += 1
    }
    isDue
  }

  private def nextStart: Option[Long] = earliest(hubs.iterator)

  private def earliest(of: Iterator[HubSender]): Option[Long] =
    of.flatMap(_.nextStart).reduceOption((a, b) => if (a - b < 0) a else b)
}

private object BatchSender {
  private val PollNanos = Duration.ofMillis(CancellableWait.PollMillis).toNanos
}
