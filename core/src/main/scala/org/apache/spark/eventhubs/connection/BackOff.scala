package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.ThreadLocalRandom

/** How long to wait after the n-th failure in a row, when the service has not said it. */
private[eventhubs] object BackOff {

  private val First = Duration.ofMillis(100).toNanos
  private val Longest = Duration.ofSeconds(5).toNanos

  /**
   * Doubles up to 5 seconds, and varies by a fifth: the tasks that one broken connection stopped must not come back
   * in step.
   *
   * @param failures from 1
   */
  def nanos(failures: Int): Long = {
    val doubled = math.min(Longest, First << math.min(failures - 1, 16))
    (doubled * ThreadLocalRandom.current().nextDouble(0.8, 1.2)).toLong
  }
}
