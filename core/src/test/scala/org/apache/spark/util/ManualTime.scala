package org.apache.spark.util

import java.time.Duration

/** A clock that stands still until a test moves it, or until the code under test waits for it. */
class ManualTime extends Clock {
  @volatile private var nanos = 0L

  def millis: Long = nanos / 1000000
  def millis_=(value: Long): Unit = nanos = value * 1000000

  def advance(duration: Duration): Unit = nanos += duration.toNanos

  override def getTimeMillis(): Long = millis
  override def nanoTime(): Long = nanos
  override def waitTillTime(targetTime: Long): Long = {
    if (targetTime > millis) millis = targetTime
    millis
  }
}
