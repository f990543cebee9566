package localhub

import java.util.Locale

import scala.jdk.CollectionConverters._

/**
 * Settings of an event hub. Names follow the service's rules; upper and lower case are equal.
 *
 * @param partitions      1 to 1024, the most that the service has (Dedicated tier)
 * @param consumerGroups  further groups; every hub has `\$Default`
 * @param throughputUnits limit for what producers send; none by default
 * @param geoReplication  whether a secondary region exists that can be promoted; only in memory, not with compaction
 * @param compaction      None is the cleanup policy `delete`: only retention removes events
 * @throws InvalidHubException when a name or a number is out of bounds
 */
final case class HubConfig(
    name: String,
    partitions: Int,
    consumerGroups: Set[String] = Set.empty,
    retention: Retention = Retention.Unlimited,
    throughputUnits: Option[Int] = None,
    geoReplication: Boolean = false,
    compaction: Option[Compaction] = None
) {
  HubConfig.checkName(name)
  HubConfig.checkPartitions(partitions)
  consumerGroups.foreach(HubConfig.checkConsumerGroup)
  throughputUnits.foreach(HubConfig.checkThroughputUnits)
  if (geoReplication && compaction.nonEmpty)
    throw new InvalidHubException(s"The event hub '$name' is geo-replicated, so the local hub cannot compact it.")

  /** All groups in lower case, `\$default` included. */
  def groupKeys: Set[String] = (consumerGroups + HubConfig.DefaultConsumerGroup).map(HubConfig.groupKey)

  /** These settings plus what `wanted` adds: partitions, groups, and the limits that it sets. */
  def mergedWith(wanted: HubConfig): HubConfig = copy(
    partitions = math.max(partitions, wanted.partitions),
    consumerGroups = consumerGroups ++ wanted.consumerGroups.filterNot(group => groupKeys(HubConfig.groupKey(group))),
    retention = wanted.retention.orElse(retention),
    throughputUnits = wanted.throughputUnits.orElse(throughputUnits),
    compaction = wanted.compaction.orElse(compaction)
  )

  /** These settings with other limits; None and [[Retention.Unlimited]] remove a limit. */
  def withLimits(retention: Retention, throughputUnits: Option[Int]): HubConfig =
    copy(retention = retention, throughputUnits = throughputUnits)

  def withRetention(limits: Retention): HubConfig = copy(retention = limits)
  def withCompaction(policy: Compaction): HubConfig = copy(compaction = Some(policy))
  def withoutCompaction: HubConfig = copy(compaction = None)
  def withThroughputUnits(units: Int): HubConfig = copy(throughputUnits = Some(units))
  def withGeoReplication(on: Boolean): HubConfig = copy(geoReplication = on)
  def withConsumerGroups(groups: Set[String]): HubConfig = copy(consumerGroups = groups)

  /** Sets the groups in Java. */
  def withConsumerGroups(groups: java.util.Collection[String]): HubConfig = copy(consumerGroups = groups.asScala.toSet)
}

object HubConfig {
  val DefaultConsumerGroup = "$Default"
  val MaxPartitions = 1024
  val MaxThroughputUnits = 40
  private val MaxHubName = 256
  private val MaxGroupName = 50

  /** Creates a configuration in Java, which has no default arguments. */
  def of(name: String, partitions: Int): HubConfig = HubConfig(name, partitions)

  def checkName(name: String): Unit = check("an event hub", name, MaxHubName)

  def checkPartitions(partitions: Int): Unit =
    if (partitions < 1 || partitions > MaxPartitions)
      throw new InvalidHubException(s"$partitions partitions: an event hub has 1 to $MaxPartitions.")

  def checkConsumerGroup(name: String): Unit =
    if (!name.equalsIgnoreCase(DefaultConsumerGroup)) check("a consumer group", name, MaxGroupName)

  def checkThroughputUnits(units: Int): Unit =
    if (units < 1 || units > MaxThroughputUnits)
      throw new InvalidHubException(s"$units throughput units: an event hub has 1 to $MaxThroughputUnits, or no limit.")

  private def groupKey(group: String): String = group.toLowerCase(Locale.ROOT)

  private def check(what: String, name: String, maxLength: Int): Unit =
    if (name.length > maxLength)
      throw new InvalidHubException(
        s"'${name.take(40)}...' has ${name.length} characters: the name of $what has at most $maxLength."
      )
    else if (!name.matches("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?"))
      throw new InvalidHubException(
        s"'$name' cannot be the name of $what: use letters, digits, '.', '-' and '_', with a letter or digit first and last."
      )
}

/** A hub's name, partition count or consumer group breaks a rule of the service; the message names it. */
final class InvalidHubException(message: String) extends IllegalArgumentException(message)
