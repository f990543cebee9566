package localhub.http

import localhub.{Compaction, CompactionNames, HubConfig, Retention, SettingParser}

/**
 * Limits of a hub in a query: `retention=1h&throughputUnits=none`. `none` removes a limit; a missing one is unchanged.
 * The same for `cleanupPolicy`, where `delete` ends the compaction.
 */
private[http] final class LimitParameters(query: Map[String, String]) {
  import LimitParameters._

  val retention: Retention = Retention(
    limit(Time).map(SettingParser.duration(Time, _)),
    limit(Bytes).map(SettingParser.bytes(Bytes, _))
  )

  val throughputUnits: Option[Int] = limit(Units).map(SettingParser.count(Units, _))

  val compaction: Option[Compaction] =
    SettingParser.compaction(
      Cleanup,
      query.get(Cleanup.policy),
      query.get(Cleanup.tombstoneRetention),
      query.get(Cleanup.minLag)
    )

  def removesAny: Boolean = all.exists(isRemoved)

  def stopsCompaction: Boolean = query.contains(Cleanup.policy) && compaction.isEmpty

  /** The hub's limits without the removed ones. */
  def remaining(config: HubConfig): (Retention, Option[Int]) = (
    Retention(
      config.retention.time.filterNot(_ => isRemoved(Time)),
      config.retention.bytesPerPartition.filterNot(_ => isRemoved(Bytes))
    ),
    config.throughputUnits.filterNot(_ => isRemoved(Units))
  )

  private def isRemoved(name: String): Boolean = query.get(name).contains(NoLimit)

  private def limit(name: String): Option[String] = query.get(name).filter(_ != NoLimit)
}

private[http] object LimitParameters {
  private val Time = "retention"
  private val Bytes = "retentionBytes"
  private val Units = "throughputUnits"
  private val NoLimit = "none"

  private val Cleanup = CompactionNames("cleanupPolicy", "tombstoneRetention", "minCompactionLag")

  val all: Seq[String] = Seq(Time, Bytes, Units, Cleanup.policy, Cleanup.tombstoneRetention, Cleanup.minLag)
}
