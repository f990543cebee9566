package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.ThreadLocalRandom

/**
 * How long to wait after the n-th failure in a row, when the service has not said it: the first pause, doubled with
 * each further failure up to the longest. Each pause varies by a fifth, so that the tasks that one broken connection
 * stopped do not come back in step.
 *
 * @param random numbers from 0 to 1 that vary the pauses; 0.5 leaves a pause as it is
 */
private[eventhubs] final class BackOff(first: Duration, longest: Duration, random: () => Double) {

  /** @param failures from 1 */
  def nanos(failures: Int): Long = {
    val doubled = math.min(longest.toNanos, first.toNanos << math.min(failures - 1, BackOff.MaxDoublings))
    (doubled * (1 + BackOff.Jitter * (2 * random() - 1))).toLong
  }

  /** @param failures from 1 */
  def millis(failures: Int): Long = nanos(failures) / BackOff.NanosPerMilli
}

private[eventhubs] object BackOff {

  private val Jitter = 0.2

  /** Keeps the doubled number within a Long. */
  private val MaxDoublings = 16
  private val NanosPerMilli = 1000000L

  private val Longest = Duration.ofSeconds(5)
  private val Random = () => ThreadLocalRandom.current().nextDouble()

  val ForSending = new BackOff(Duration.ofMillis(100), Longest, Random)
  val ForReceiving = new BackOff(Duration.ofMillis(50), Longest, Random)
}
