package org.apache.spark.util

/** A clock that stands still until a test moves it. */
class ManualTime extends Clock {
  @volatile var millis = 0L

  override def getTimeMillis(): Long = millis
  override def nanoTime(): Long = millis * 1000000
  override def waitTillTime(targetTime: Long): Long = {
    millis = math.max(millis, targetTime)
    millis
  }
}
