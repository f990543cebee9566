package localhub

import java.time.Duration

/**
 * How long a hub keeps events. The limit that is reached first removes the oldest ones; without a limit nothing is
 * removed.
 *
 * @param bytesPerPartition payload bytes; with a data directory the files are larger by up to one segment
 */
final case class Retention(time: Option[Duration] = None, bytesPerPartition: Option[Long] = None) {
  time.foreach { limit =>
    if (limit.isNegative || limit.isZero) throw new InvalidHubException(s"A retention of $limit keeps nothing.")
    if (limit.compareTo(Retention.Longest) > 0)
      throw new InvalidHubException(
        s"A retention of $limit is too long to be counted in milliseconds; to keep events for ever, leave the limit out."
      )
  }
  bytesPerPartition.foreach { limit =>
    if (limit <= 0) throw new InvalidHubException(s"A retention of $limit bytes keeps nothing.")
  }

  /** These limits; a missing one is taken from `other`. */
  def orElse(other: Retention): Retention =
    Retention(time.orElse(other.time), bytesPerPartition.orElse(other.bytesPerPartition))
}

object Retention {
  val Unlimited: Retention = Retention()

  /** Event times are milliseconds. */
  private val Longest = Duration.ofMillis(Long.MaxValue)
}
