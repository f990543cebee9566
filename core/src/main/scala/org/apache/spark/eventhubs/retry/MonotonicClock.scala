package org.apache.spark.eventhubs.retry

import java.util.concurrent.TimeUnit

import org.apache.spark.util.Clock

/**
 * For ages, pauses and deadlines: a clock that no one sets. Spark's SystemClock gives the time of day. When that is set
 * back by an hour, what was fresh stays fresh for an hour, and a wait takes an hour longer.
 */
private[spark] final class MonotonicClock extends Clock {

  /** Milliseconds since some time in the past. */
  override def getTimeMillis(): Long = TimeUnit.NANOSECONDS.toMillis(nanoTime() - MonotonicClock.Origin)

  override def nanoTime(): Long = System.nanoTime()

  override def waitTillTime(targetTime: Long): Long = {
    var now = getTimeMillis()
    while (now < targetTime) {
      Thread.sleep(targetTime - now)
      now = getTimeMillis()
    }
    now
  }
}

private object MonotonicClock {

  /** So long ago that no time is 0 or less. */
  val Origin: Long = System.nanoTime() - TimeUnit.DAYS.toNanos(1)
}
