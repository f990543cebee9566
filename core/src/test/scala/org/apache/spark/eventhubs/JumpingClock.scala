package org.apache.spark.eventhubs

import org.apache.spark.util.ManualClock

/** A clock whose time advances only in a wait, which returns at once. */
final class JumpingClock extends ManualClock(0L) {
  override def waitTillTime(targetTime: Long): Long = synchronized {
    setTime(math.max(targetTime, getTimeMillis()))
    getTimeMillis()
  }
}
