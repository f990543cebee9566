package org.apache.spark.eventhubs

import scala.util.{Failure, Success, Try}

/** A call that waits, run in a thread of its own during a test. */
final class Background[A] private (work: () => A) {
  @volatile private var outcome = Option.empty[Try[A]]
  private val thread = new Thread(() => outcome = Some(run()))
  thread.setDaemon(true)
  thread.start()

  def state: Thread.State = thread.getState

  def interrupt(): Unit = thread.interrupt()

  def waitUntilSleeping(): Unit = {
    val sleeping = Set(Thread.State.WAITING, Thread.State.TIMED_WAITING)
    await(sleeping(thread.getState) || outcome.isDefined)
    outcome.foreach(_.get)
  }

  /** Repeats `push` until the call returns. */
  def whileWaiting(push: => Unit): Unit = await {
    push
    outcome.isDefined
  }

  def result: A = {
    await(outcome.isDefined)
    outcome.get.get
  }

  def failure: Throwable = {
    await(outcome.isDefined)
    outcome.get.failed.get
  }

  private def run(): Try[A] =
    try Success(work())
    catch { case any: Throwable => Failure(any) }

  private def await(condition: => Boolean): Unit = {
    val deadline = System.nanoTime() + 60000000000L
    while (!condition) {
      if (System.nanoTime() > deadline) throw new AssertionError(s"still ${thread.getState} after 60 s")
      Thread.sleep(1)
    }
  }
}

object Background {
  def apply[A](work: => A): Background[A] = new Background(() => work)
}
