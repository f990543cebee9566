package org.apache.spark.eventhubs.rdd

import org.apache.spark.util.ManualClock

/** Moves a little whenever it is looked at, so that waiting for something that never comes is short. */
final class TickingClock extends ManualClock(0L) {

  override def getTimeMillis(): Long = synchronized {
    advance(100)
    super.getTimeMillis()
  }

  override def waitTillTime(targetTime: Long): Long = synchronized {
    setTime(math.max(targetTime, super.getTimeMillis()))
    super.getTimeMillis()
  }
}
