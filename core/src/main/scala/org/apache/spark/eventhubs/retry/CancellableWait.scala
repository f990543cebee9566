package org.apache.spark.eventhubs.retry

import java.util.concurrent.TimeUnit

import org.apache.spark.util.{Clock, SystemClock}

/** Waiting in a task's thread, which Spark may cancel with or without an interrupt. */
private[spark] object CancellableWait {

  /** The longest time in which a waiting task does not notice that it was cancelled. */
  val PollMillis = 200L

  private val NanosPerMilli = TimeUnit.MILLISECONDS.toNanos(1)

  /**
   * Waits for `nanos`.
   *
   * @param checkCancelled throws when the task is to stop; called at least every [[PollMillis]]
   * @throws java.lang.InterruptedException when the thread is interrupted
   */
  def apply(clock: Clock, nanos: Long, checkCancelled: () => Unit): Unit = {
    val deadline = clock.nanoTime() + nanos
    var left = nanos
    while (left > 0) {
      checkCancelled()
      // Rounded up, because a clock waits for whole milliseconds only.
      val millis = math.min(PollMillis, TimeUnit.NANOSECONDS.toMillis(left + NanosPerMilli - 1))
      clock match {
        // Its waitTillTime compares the time of day: after a step back, a task would wait until that time comes again.
        case _: SystemClock => Thread.sleep(millis)
        case other => other.waitTillTime(other.getTimeMillis() + millis)
      }
      left = deadline - clock.nanoTime()
    }
  }
}
