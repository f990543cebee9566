package org.apache.spark.eventhubs.executor

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.retry.CancellableWait

/**
 * Combines equal calls that many tasks of a JVM want to make at the same moment, for example after their shared
 * connection was lost. One task makes the call, and all tasks that waited before it started share its result. A call
 * that started before a task wanted it is too old for that task.
 */
private[spark] final class SingleFlight[K, A] {

  import SingleFlight._

  private val flights = mutable.HashMap.empty[K, Flight[A]]

  /**
   * Returns the result of `call`, made by this task or by another one.
   *
   * @param key            equal for tasks that may share a result
   * @param checkCancelled throws when the task is to stop; called often
   * @throws EventHubsException of the call, for all tasks that share it; other exceptions only for the calling task
   */
  def run(key: K, checkCancelled: () => Unit)(call: => A): A = {
    val (flight, before) = synchronized {
      val flight = flights.getOrElseUpdate(key, new Flight[A])
      flight.users += 1
      (flight, flight.started)
    }
    try
      sharedResult(flight, before, checkCancelled).getOrElse(start(flight, call)).fold(failed => throw failed, identity)
    finally leave(key, flight)
  }

  private def leave(key: K, flight: Flight[A]): Unit = synchronized {
    flight.users -= 1
    if (flight.users == 0) flights -= key
    ()
  }

  /** Waits for the result of a call after call number `before`. None when this task has to make that call. */
  private def sharedResult(flight: Flight[A], before: Long, checkCancelled: () => Unit): Option[Result[A]] =
    synchronized {
      while (flight.isRunning && flight.finished <= before) {
        checkCancelled()
        wait(CancellableWait.PollMillis)
      }
      if (flight.finished > before) flight.last
      else {
        flight.isRunning = true
        flight.started += 1
        None
      }
    }

  /** Returns the result of this call, even if a later call has finished in the meantime. */
  private def start(flight: Flight[A], call: => A): Result[A] = {
    var result = Option.empty[Result[A]]
    try {
      val own = resultOf(call)
      result = Some(own)
      own
    } finally synchronized {
        flight.isRunning = false
        result.foreach(flight.finish)
        notifyAll()
      }
  }
}

private object SingleFlight {

  private type Result[A] = Either[EventHubsException, A]

  /** Other exceptions are no result: they come from the task itself, for example because it was killed. */
  private def resultOf[A](call: => A): Result[A] =
    try Right(call)
    catch { case failed: EventHubsException => Left(failed) }

  /** The calls of one key. Guarded by its owner's lock, and removed with the last task that uses it. */
  private final class Flight[A] {
    var users = 0
    var isRunning = false

    /** Number of the last call that started, and of the last one that finished with a result. */
    var started = 0L
    var finished = 0L
    var last = Option.empty[Result[A]]

    def finish(result: Result[A]): Unit = {
      finished = started
      last = Some(result)
    }
  }
}
