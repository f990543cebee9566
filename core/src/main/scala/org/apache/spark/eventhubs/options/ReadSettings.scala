package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.{EventHubsErrors, EventPosition, PartitionPositions}
import org.apache.spark.internal.Logging

/**
 * The parsed and checked options of one query that reads.
 *
 * @param startingPositions   by partition id; take precedence over `startingPosition`
 * @param endingPositions     by partition id; take precedence over `endingPosition`; for batch reads only
 * @param partitions          ids to read; None reads all, including partitions added later
 * @param maxEventsPerTrigger over all partitions; None is unlimited
 * @param maxBytesPerTrigger  body bytes over all partitions; None is unlimited
 * @param minEventsPerTrigger a smaller backlog waits, for at most `maxTriggerDelay` after the last batch
 * @param compacted           whether missing sequence numbers are the work of compaction, and not data loss
 * @param prefetchCount       AMQP credit of a link, in events; None derives it from the learned event size
 * @param receiverBufferBytes bytes that one link may prefetch
 * @param receiverTimeout     how long a receiver may deliver nothing, although events exist, before it is reopened
 * @param ownerLevel          epoch of an exclusive receiver; None reads without an epoch
 * @param replayCacheBytes    heap of an executor for ranges that are read again; 0 disables the cache
 * @param checkpointStore     container with the checkpoints of the SDKs' processors
 * @param maxPartitions       maximum number of tasks of a batch; None is one task for each range
 * @param maxConnections      AMQP connections for receivers, at most, per executor and identity; None is twice its
 *                            cores
 * @param hubs                which event hubs the query reads. Of several, only the settings of [[ofHub]] are those of
 *                            a hub
 * @param namedPositions      of several hubs' partitions
 * @param includeEventHub     whether rows have the column `eventHub`
 */
private[spark] final case class ReadSettings(
    connection: ConnectionSettings,
    consumerGroup: String,
    startingPosition: EventPosition,
    startingPositions: Map[Int, EventPosition],
    endingPosition: EventPosition,
    endingPositions: Map[Int, EventPosition],
    partitions: Option[Set[Int]],
    maxEventsPerTrigger: Option[Long],
    maxBytesPerTrigger: Option[Long],
    minEventsPerTrigger: Option[Long],
    maxTriggerDelay: Duration,
    failOnDataLoss: Boolean,
    compacted: Boolean,
    prefetchCount: Option[Int],
    receiverBufferBytes: Long,
    receiverTimeout: Duration,
    receiverIdleTimeout: Duration,
    ownerLevel: Option[Long],
    maxConnections: Option[Int],
    minPartitions: Option[Int],
    maxEventsPerTask: Option[Long],
    maxPartitions: Option[Int],
    preferredLocations: PreferredLocationStrategy,
    replayCacheBytes: Long,
    hubs: HubSelection,
    checkpointStore: Option[CheckpointStoreSettings] = None,
    namedPositions: NamedPositions = NamedPositions.Unset,
    includeEventHub: Boolean = false
) {

  /** Whether the query owns its partitions in the checkpoint store. */
  def ownership: OwnershipMode = checkpointStore.fold[OwnershipMode](OwnershipMode.Off)(_.ownership)

  /** The settings for one event hub of the query, or of its checkpoint. Those of a query's only hub are these. */
  def ofHub(name: String): ReadSettings =
    if (hubs.isOne && connection.hub.name.equalsIgnoreCase(name)) this
    else copy(
      connection = connection.ofHub(name),
      startingPositions = namedPositions.starting.of(name),
      endingPositions = namedPositions.ending.of(name),
      checkpointStore = checkpointStore.map(store => store.copy(ofSeveralHubs = !hubs.isOne || store.ofSeveralHubs)),
      hubs = HubSelection.Listed(Seq(name)),
      namedPositions = NamedPositions.Unset
    )
}

/** Positions of single partitions, in a query with several event hubs. */
private[spark] final case class NamedPositions(starting: PartitionPositions, ending: PartitionPositions)

private[spark] object NamedPositions {
  val Unset: NamedPositions = NamedPositions(PartitionPositions(Nil), PartitionPositions(Nil))
}

private[spark] object ReadSettings extends Logging {
  import ReadOptions._

  /**
   * @param options from Spark, with keys in any case
   * @throws EventHubsException if an option is unknown, invalid, missing or contradicts another
   */
  def parse(options: Map[String, String], mode: ReadMode): ReadSettings = {
    val parsed = OptionsParser.parse(options)
    (parsed.warnings ++ unused(parsed, mode)).foreach(warning => logWarning(warning))
    settings(parsed, mode)
  }

  /** Refuses what [[parse]] refuses, and logs no warning. Spark parses the options again after this step. */
  def check(options: Map[String, String], mode: ReadMode): ReadSettings =
    settings(OptionsParser.parse(options), mode)

  private def settings(parsed: ParsedOptions, mode: ReadMode): ReadSettings = {
    val (connection, hubs) = ConnectionSettings.toRead(parsed)
    val timeouts = ReadTimeouts.parse(parsed, Some(connection.operationTimeout))
    val level = ownerLevel(parsed, isOwned(parsed, mode))
    def positions(option: EventHubsOption[PartitionPositions]): Map[Int, EventPosition] =
      parsed.get(option).filter(_ => hubs.isOne).fold(Map.empty[Int, EventPosition]) { entries =>
        entries.forHub(connection.hub.name).fold(expected => throw parsed.invalid(option, expected), identity)
      }
    def named(option: EventHubsOption[PartitionPositions]): PartitionPositions =
      parsed.get(option).filter(_ => !hubs.isOne).fold(PartitionPositions(Nil)) { entries =>
        entries.forHubs(hubs.includes).fold(expected => throw parsed.invalid(option, expected), identity)
      }
    ReadSettings(
      connection = connection.copy(operationTimeout = timeouts.operation),
      consumerGroup = parsed(ConsumerGroup),
      startingPosition = parsed.get(StartingPosition).getOrElse(defaultStart(parsed, mode)),
      startingPositions = positions(StartingPositions),
      endingPosition = parsed(EndingPosition),
      endingPositions = positions(EndingPositions),
      partitions = parsed.get(Partitions),
      maxEventsPerTrigger = parsed.get(MaxEventsPerTrigger),
      maxBytesPerTrigger = parsed.get(MaxBytesPerTrigger),
      minEventsPerTrigger = minEvents(parsed),
      maxTriggerDelay = parsed(MaxTriggerDelay),
      failOnDataLoss = parsed(FailOnDataLoss),
      compacted = parsed(Compacted),
      prefetchCount = parsed.get(PrefetchCount),
      receiverBufferBytes = parsed(ReceiverBufferBytes),
      receiverTimeout = timeouts.receiver,
      receiverIdleTimeout = parsed.get(ReceiverIdleTimeout).getOrElse(idleTimeout(level)),
      ownerLevel = level,
      maxConnections = parsed.get(MaxConnections),
      minPartitions = parsed.get(MinPartitions),
      maxEventsPerTask = parsed.get(MaxEventsPerTask),
      maxPartitions = maxPartitions(parsed),
      preferredLocations = parsed(PreferredLocations),
      replayCacheBytes = parsed(ReplayCacheBytes),
      checkpointStore = checkpointStore(parsed, mode),
      hubs = hubs,
      namedPositions = NamedPositions(named(StartingPositions), named(EndingPositions)),
      includeEventHub = parsed(IncludeEventHub)
    )
  }

  /** An owner continues where the one before has stopped. */
  private def defaultStart(options: ParsedOptions, mode: ReadMode): EventPosition =
    if (isOwned(options, mode)) EventPosition.CheckpointStore
    else mode.defaultStart

  private def minEvents(options: ParsedOptions): Option[Long] = {
    val min = options.get(MinEventsPerTrigger)
    for (events <- min; max <- options.get(MaxEventsPerTrigger) if events > max)
      throw EventHubsErrors.conflictingOptions(
        s"'${MinEventsPerTrigger.key}' is $events and '${MaxEventsPerTrigger.key}' is $max, which is lower",
        "Raise the maximum or lower the minimum."
      )
    min
  }

  private def maxPartitions(options: ParsedOptions): Option[Int] = {
    val max = options.get(MaxPartitions)
    for (_ <- max; other <- Seq(MinPartitions, MaxEventsPerTask).find(options.get(_).nonEmpty))
      throw EventHubsErrors.conflictingOptions(
        s"'${MaxPartitions.key}' lets hub partitions share tasks, and '${other.key}' splits them into more tasks",
        "Set only one of them."
      )
    max
  }

  private def checkpointStore(options: ParsedOptions, mode: ReadMode): Option[CheckpointStoreSettings] =
    CheckpointStoreSettings.parse(options).map { store =>
      if (mode == ReadMode.Batch) store.copy(ownership = OwnershipMode.Off) else store
    }

  /** A link with an owner level shuts other readers out, also when its query has stopped. Opening it again is cheap. */
  private def idleTimeout(level: Option[Long]): Duration =
    if (level.isEmpty) Duration.ofMinutes(5) else Duration.ofSeconds(30)

  /** A batch read is no consumer that takes turns with others. */
  private def isOwned(options: ParsedOptions, mode: ReadMode): Boolean =
    mode == ReadMode.Stream && CheckpointStoreOptions.isOwned(options)

  private def ownerLevel(options: ParsedOptions, owned: Boolean): Option[Long] = {
    val level = if (owned) Some(levelOfOwner(options)) else exclusive(options)
    for (_ <- level; splitting <- Seq(MinPartitions, MaxEventsPerTask).find(options.get(_).nonEmpty)) {
      val key =
        if (owned) CheckpointStoreOptions.Ownership.key
        else if (options.isSet(OwnerLevel)) OwnerLevel.key
        else UseExclusiveReceiver.key
      throw EventHubsErrors.conflictingOptions(
        s"'$key' lets one receiver at a time read a partition, and '${splitting.key}' lets several tasks read it",
        "Set only one of them."
      )
    }
    level
  }

  /** That of the SDKs' event processors: with another one, one side would always win. */
  private def levelOfOwner(options: ParsedOptions): Long = {
    val contradictions = Seq(
      options.get(UseExclusiveReceiver).collect { case false => UseExclusiveReceiver.key -> "false" },
      options.get(OwnerLevel).collect { case level if level > 0 => OwnerLevel.key -> level.toString }
    )
    contradictions.flatten.headOption.foreach { case (key, value) =>
      throw EventHubsErrors.conflictingOptions(
        s"with '${CheckpointStoreOptions.Ownership.key}' receivers have the owner level 0, and '$key' is '$value'",
        s"Remove '$key'."
      )
    }
    0L
  }

  private def exclusive(options: ParsedOptions): Option[Long] =
    (options.get(UseExclusiveReceiver), options.get(OwnerLevel)) match {
      case (Some(false), Some(level)) =>
        throw EventHubsErrors.conflictingOptions(
          s"'${OwnerLevel.key}' is $level and '${UseExclusiveReceiver.key}' is 'false'",
          "Only exclusive receivers have an owner level: remove one of the two options."
        )
      case (Some(true), None) => Some(0L)
      case (_, level) => level
    }

  private def unused(options: ParsedOptions, mode: ReadMode): Seq[String] = mode match {
    case ReadMode.Batch =>
      val ofStreams = Seq(
        MaxEventsPerTrigger,
        MaxBytesPerTrigger,
        MinEventsPerTrigger,
        MaxTriggerDelay,
        CheckpointStoreOptions.Ownership
      )
      ofStreams.filter(options.isSet).map { option =>
        s"'${option.key}' applies to streams only and has no effect in a batch read"
      }
    case ReadMode.Stream =>
      Seq(EndingPosition, EndingPositions).filter(options.isSet).map { option =>
        s"'${option.key}' applies to batch reads only and has no effect in a stream; " +
          "to end a stream, use Trigger.AvailableNow"
      }
  }
}

/** Whether a query is a stream or a batch read. They have different default starting positions. */
private[spark] sealed abstract class ReadMode(val defaultStart: EventPosition)
private[spark] object ReadMode {
  case object Stream extends ReadMode(EventPosition.EndOfStream)

  /** Unlike the legacy connector, which started at the end: a batch read without options was always empty. */
  case object Batch extends ReadMode(EventPosition.StartOfStream)
}

/** How partitions are placed on executors; see `eventhubs.partitionPreferredLocationStrategy`. */
sealed trait PreferredLocationStrategy
object PreferredLocationStrategy {
  case object Hash extends PreferredLocationStrategy
  case object BalancedHash extends PreferredLocationStrategy
  case object Stable extends PreferredLocationStrategy
}
