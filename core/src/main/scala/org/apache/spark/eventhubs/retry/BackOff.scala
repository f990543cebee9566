package org.apache.spark.eventhubs.retry

import java.time.Duration
import java.util.concurrent.ThreadLocalRandom

/**
 * The pause after the n-th failure in a row, where the service names none. It starts at `first` and doubles with each
 * failure, up to `longest`. It varies by up to a fifth, so that tasks that lost the same connection do not all retry at
 * the same moment.
 *
 * @param random numbers from 0 to 1 that vary the pauses; 0.5 does not change a pause
 */
private[spark] final class BackOff(first: Duration, longest: Duration, random: () => Double) {

  /** @param failures from 1 */
  def nanos(failures: Int): Long = {
    val doubled = math.min(longest.toNanos, first.toNanos << math.min(failures - 1, BackOff.MaxDoublings))
    (doubled * (1 + BackOff.Jitter * (2 * random() - 1))).toLong
  }

  /** @param failures from 1 */
  def millis(failures: Int): Long = nanos(failures) / BackOff.NanosPerMilli
}

private[spark] object BackOff {

  private val Jitter = 0.2

  /** Keeps the doubled number within a Long. */
  private val MaxDoublings = 16
  private val NanosPerMilli = 1000000L

  private val Longest = Duration.ofSeconds(5)
  private val Random = () => ThreadLocalRandom.current().nextDouble()

  val ForSending = new BackOff(Duration.ofMillis(100), Longest, Random)
  val ForReceiving = new BackOff(Duration.ofMillis(50), Longest, Random)
  val ForAsking = new BackOff(Duration.ofMillis(50), Duration.ofSeconds(2), Random)

  /**
   * The pause after the service has refused something because it is busy, unless its text names another time. The
   * known texts say "Please wait 4 seconds and try again".
   */
  val BusyPause: Duration = Duration.ofSeconds(4)

  /** [[BusyPause]] and up to a quarter more. */
  def whenBusy: Duration = Duration.ofMillis((BusyPause.toMillis * (1 + Random() / 4)).toLong)
}
