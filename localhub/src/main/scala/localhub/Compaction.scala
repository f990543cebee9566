package localhub

import java.time.Duration

/**
 * The cleanup policy `compact`: of the events with one partition key, a partition keeps the latest. With a retention
 * too, old events are removed all the same.
 *
 * @param tombstoneRetention how long a tombstone is kept when it is the latest event of its key
 * @param minLag             younger events are the active tail, which is not compacted
 */
final case class Compaction(
    tombstoneRetention: Duration = Compaction.DefaultTombstoneRetention,
    minLag: Duration = Compaction.DefaultMinLag
) {
  Seq("tombstone retention" -> tombstoneRetention, "lag" -> minLag).foreach { case (what, time) =>
    if (time.isNegative) throw new InvalidHubException(s"A $what of $time: expected a time of 0 or more.")
    if (time.compareTo(Compaction.Longest) > 0)
      throw new InvalidHubException(s"A $what of $time is too long: expected at most ${Compaction.Longest}.")
  }

  /** How often something can be removed because time has passed. */
  private[localhub] def interval: Duration = Seq(tombstoneRetention, minLag, Compaction.DefaultMinLag).min
}

object Compaction {

  /** The service's shortest. */
  val DefaultTombstoneRetention: Duration = Duration.ofHours(1)
  val DefaultMinLag: Duration = Duration.ofMinutes(1)
  private val Longest = Duration.ofDays(36500)
}
