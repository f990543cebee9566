package org.apache.spark.eventhubs

import org.apache.spark.util.ManualClock

/** Time passes only while somebody sleeps, and then at once. */
final class JumpingClock extends ManualClock(0L) {
  override def waitTillTime(targetTime: Long): Long = synchronized {
    setTime(math.max(targetTime, getTimeMillis()))
    getTimeMillis()
  }
}
