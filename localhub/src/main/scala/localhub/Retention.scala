package localhub

import java.time.Duration

/**
 * How long events stay; whichever limit is reached first removes the oldest ones. Without a limit they stay for ever.
 *
 * @param bytesPerPartition of payload; with a data directory the files are larger by up to one segment
 */
final case class Retention(time: Option[Duration] = None, bytesPerPartition: Option[Long] = None) {
  time.foreach { limit =>
    if (limit.isNegative || limit.isZero) throw new InvalidHubException(s"A retention of $limit keeps nothing.")
    if (limit.compareTo(Retention.Longest) > 0)
      throw new InvalidHubException(
        s"A retention of $limit is beyond what can be counted; for ever is to leave the limit out."
      )
  }
  bytesPerPartition.foreach { limit =>
    if (limit <= 0) throw new InvalidHubException(s"A retention of $limit bytes keeps nothing.")
  }

  /** This one, and where it has no limit, that of `other`. */
  def orElse(other: Retention): Retention =
    Retention(time.orElse(other.time), bytesPerPartition.orElse(other.bytesPerPartition))
}

object Retention {
  val Unlimited: Retention = Retention()

  /** In milliseconds, as events have their times. */
  private val Longest = Duration.ofMillis(Long.MaxValue)
}
