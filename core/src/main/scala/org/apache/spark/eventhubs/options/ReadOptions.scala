package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.{EventPosition, PartitionPositions}

/** Options of queries that read. */
private[spark] object ReadOptions {
  import OptionType._

  val NamePattern: EventHubsOption[String] = option(
    "eventhubs.namePattern",
    HubPattern,
    "Regular expression that selects event hubs of the namespace, instead of `name`. It matches the whole name, in " +
      "any case. A stream also reads hubs that appear later, from their first event. The credential needs the Manage " +
      "claim on the namespace. See docs/guides/several-hubs.md."
  )

  val NamePatternInterval: EventHubsOption[Duration] = option(
    "eventhubs.namePatternInterval",
    PositiveDuration,
    "How often a stream looks for new event hubs that match `namePattern`, at most.",
    default = Some(Duration.ofMinutes(1))
  )

  val ConsumerGroup: EventHubsOption[String] =
    option("eventhubs.consumerGroup", Text, "Consumer group of the query.", default = Some("$Default"))

  val StartingPosition: EventHubsOption[EventPosition] = option(
    "eventhubs.startingPosition",
    Position,
    "Position from which every partition is read: `earliest`, `latest`, a sequence number, a time with its zone such " +
      "as `2024-01-31T12:00:00Z`, `checkpointStore` (see `checkpointStore.container`), or the legacy connector's " +
      "JSON. A streaming query uses it only for its first " +
      "start. Later starts continue from the checkpoint.",
    whenUnset = "`latest` for streams, `checkpointStore` with `checkpointStore.ownership`, `earliest` for batch reads"
  )

  val StartingPositions: EventHubsOption[PartitionPositions] = option(
    "eventhubs.startingPositions",
    Positions,
    "Starting positions of single partitions, which take precedence over `startingPosition`: JSON such as " +
      "`{\"0\":123,\"1\":\"latest\"}`, or the legacy connector's JSON, whose keys name hub and partition.",
    whenUnset = "`startingPosition` for all"
  )

  val EndingPosition: EventHubsOption[EventPosition] = option(
    "eventhubs.endingPosition",
    Position,
    "Position at which a batch read ends in every partition. Streams ignore it.",
    default = Some(EventPosition.EndOfStream)
  )

  val EndingPositions: EventHubsOption[PartitionPositions] = option(
    "eventhubs.endingPositions",
    Positions,
    "Ending positions of single partitions in a batch read, which take precedence over `endingPosition`. Written " +
      "like `startingPositions`.",
    whenUnset = "`endingPosition` for all"
  )

  val Partitions: EventHubsOption[Set[Int]] = option(
    "eventhubs.partitions",
    PartitionIds,
    "Ids of the partitions to read, such as `0,2` or `0-3`.",
    whenUnset = "all, including partitions added later"
  )

  val MaxEventsPerTrigger: EventHubsOption[Long] = option(
    "eventhubs.maxEventsPerTrigger",
    LongRange(1),
    "Maximum number of events of one micro-batch. The partitions share it in proportion to their backlog.",
    whenUnset = "unlimited",
    aliases = Seq("maxEventsPerTrigger")
  )

  val MaxBytesPerTrigger: EventHubsOption[Long] = option(
    "eventhubs.maxBytesPerTrigger",
    ByteSize(1),
    "Approximate maximum of body bytes of one micro-batch over all partitions. The connector estimates event sizes " +
      "from the mean size of the events read before. Until it has a mean, it counts 1 MiB per event.",
    whenUnset = "unlimited",
    aliases = Seq("maxBytesPerTrigger")
  )

  val MinEventsPerTrigger: EventHubsOption[Long] = option(
    "eventhubs.minEventsPerTrigger",
    LongRange(1),
    "Minimum number of events of one micro-batch. A smaller backlog waits for more events until `maxTriggerDelay` " +
      "has passed since the last batch. The first batch after each start does not wait, nor do " +
      "`Trigger.AvailableNow` and `Trigger.Once`.",
    whenUnset = "1",
    aliases = Seq("minEventsPerTrigger")
  )

  val MaxTriggerDelay: EventHubsOption[Duration] = option(
    "eventhubs.maxTriggerDelay",
    PositiveDuration,
    "Longest time that `minEventsPerTrigger` holds events back.",
    default = Some(Duration.ofMinutes(15)),
    aliases = Seq("maxTriggerDelay")
  )

  val FailOnDataLoss: EventHubsOption[Boolean] = option(
    "eventhubs.failOnDataLoss",
    Flag,
    "`true` stops the query when events that it should read no longer exist. `false` continues with the earliest " +
      "retained event, logs a warning and counts the lost events.",
    default = Some(true),
    aliases = Seq("failOnDataLoss")
  )

  val Compacted: EventHubsOption[Boolean] = option(
    "eventhubs.compacted",
    Flag,
    "`true` for a hub whose cleanup policy is `Compact` or `DeleteOrCompact`. Compaction leaves gaps in the sequence " +
      "numbers, which are then no data loss. See docs/delivery-semantics.md.",
    default = Some(false)
  )

  val PrefetchCount: EventHubsOption[Int] = option(
    "eventhubs.prefetchCount",
    IntRange(1, 8000),
    "Number of events that a receiver prefetches for the task that reads them.",
    whenUnset = "as many as fit into `receiverBufferBytes`"
  )

  val ReceiverBufferBytes: EventHubsOption[Long] = option(
    "eventhubs.receiverBufferBytes",
    // The SDK counts the bytes of a window, twice this amount, as Int.
    ByteSize(65536, 1L << 29),
    "Bytes that a receiver may prefetch for the task that reads them. When events suddenly become larger, it holds " +
      "at most twice this amount, or this amount and 1 MiB where that is more. This limit also applies with " +
      "`prefetchCount`. Between micro-batches, all receivers of an executor together may hold `maxConnections` times " +
      "this amount.",
    default = Some(16L << 20)
  )

  val ReceiverTimeout: EventHubsOption[Duration] = option(
    "eventhubs.receiverTimeout",
    PositiveDuration,
    "How long a receiver may deliver nothing, although the partition has events, before it is reopened. Batches and " +
      "micro-batches wait for half of `operationTimeout` at most, so 30 s by default. Real-Time Mode waits for the " +
      "whole time, or longer. If only `operationTimeout` is set and it is shorter, its value is used.",
    default = Some(Duration.ofSeconds(60))
  )

  val ReceiverIdleTimeout: EventHubsOption[Duration] = option(
    "eventhubs.receiverIdleTimeout",
    PositiveDuration,
    "How long an unused receiver stays open for the next batch. A receiver with an owner level shuts other readers " +
      "out while it is open; those of a query that stops close at once in the driver's JVM, and after this time " +
      "elsewhere.",
    whenUnset = "`PT5M`; `PT30S` with an owner level"
  )

  val UseExclusiveReceiver: EventHubsOption[Boolean] = option(
    "eventhubs.useExclusiveReceiver",
    Flag,
    "Whether receivers are exclusive. Another exclusive receiver of the same consumer group and partition " +
      "disconnects this one, unless its own `ownerLevel` is lower. Cannot be combined with `minPartitions` or " +
      "`maxEventsPerTask`, because tasks that share a partition would disconnect each other.",
    whenUnset = "`true` when `ownerLevel` is set, else `false`"
  )

  val OwnerLevel: EventHubsOption[Long] = option(
    "eventhubs.ownerLevel",
    LongRange(0),
    "Owner level (epoch) of exclusive receivers. The receiver with the highest level reads. Cannot be combined with " +
      "`minPartitions` or `maxEventsPerTask`.",
    whenUnset = "0 when `useExclusiveReceiver` is `true`"
  )

  val MaxConnections: EventHubsOption[Int] = option(
    "eventhubs.maxConnections",
    IntRange(1),
    "Maximum number of AMQP connections of one executor to one event hub for receivers. Beyond it, receivers share " +
      "connections. Queries share connections only when all their connection options are equal.",
    whenUnset = "twice the processors that the executor's JVM sees"
  )

  val MinPartitions: EventHubsOption[Int] = option(
    "eventhubs.minPartitions",
    IntRange(1),
    "Minimum number of Spark tasks of a batch. Long ranges are split, into at most 5 per hub partition.",
    whenUnset = "one task per hub partition",
    aliases = Seq("minPartitions")
  )

  val MaxEventsPerTask: EventHubsOption[Long] = option(
    "eventhubs.maxEventsPerTask",
    LongRange(1),
    "Maximum number of events of one Spark task. Longer ranges are split, into at most 5 per hub partition.",
    whenUnset = "unlimited"
  )

  val MaxPartitions: EventHubsOption[Int] = option(
    "eventhubs.maxPartitions",
    IntRange(1),
    "Maximum number of Spark tasks of a batch. Neighbouring hub partitions share a task, always the same ones. Use " +
      "it for hubs with many partitions and few events in each batch. Two tasks per core keep all cores busy. Cannot " +
      "be combined with `minPartitions` or `maxEventsPerTask`.",
    whenUnset = "one task per hub partition"
  )

  val PreferredLocations: EventHubsOption[PreferredLocationStrategy] = option(
    "eventhubs.partitionPreferredLocationStrategy",
    Choice(
      "Hash" -> PreferredLocationStrategy.Hash,
      "BalancedHash" -> PreferredLocationStrategy.BalancedHash,
      "Stable" -> PreferredLocationStrategy.Stable
    ),
    "How partitions are placed on executors. `Stable` spreads them evenly and moves few when an executor is added or " +
      "removed. `BalancedHash` places consecutive partitions on consecutive executors and moves most. `Hash` " +
      "scatters them.",
    default = Some(PreferredLocationStrategy.Stable),
    aliases = Seq("partitionPreferredLocationStrategy")
  )

  val ReplayCacheBytes: EventHubsOption[Long] = option(
    "eventhubs.replayCacheBytes",
    ByteSize(0),
    "Memory in which an executor keeps events for a second pass over the same batch: several actions or writers in " +
      "`foreachBatch`, or a batch read that is used twice. All queries of the executor share it. Events that no " +
      "pass has used for 10 minutes are dropped. `0` keeps none, which is best for a single pass.",
    default = Some(0L)
  )

  val IncludeEventHub: EventHubsOption[Boolean] = option(
    "eventhubs.includeEventHub",
    Flag,
    "Whether rows have a tenth column, `eventHub`, with the name of the event's hub. Without it, rows of several hubs " +
      "do not show which hub they came from.",
    default = Some(false)
  )

  val UseV1Source: EventHubsOption[Boolean] = option(
    "eventhubs.useV1Source",
    Flag,
    "Whether a stream reads through Spark's V1 source interface instead of V2.",
    default = Some(false),
    aliases = Seq("useV1Source")
  )

  /** The end of a sentence about events that do not arrive. */
  def hintAtCompaction(isDeclared: Boolean): String =
    if (isDeclared) "" else s"; if the hub is compacted, set '${Compacted.key}' to 'true'"

  val all: Seq[EventHubsOption[_]] = Seq(
    UseV1Source,
    NamePattern,
    NamePatternInterval,
    ConsumerGroup,
    StartingPosition,
    StartingPositions,
    EndingPosition,
    EndingPositions,
    Partitions,
    MaxEventsPerTrigger,
    MaxBytesPerTrigger,
    MinEventsPerTrigger,
    MaxTriggerDelay,
    FailOnDataLoss,
    Compacted,
    PrefetchCount,
    ReceiverBufferBytes,
    ReceiverTimeout,
    ReceiverIdleTimeout,
    UseExclusiveReceiver,
    OwnerLevel,
    MaxConnections,
    MinPartitions,
    MaxEventsPerTask,
    MaxPartitions,
    PreferredLocations,
    ReplayCacheBytes,
    IncludeEventHub
  )

  private def option[A](
      key: String,
      valueType: OptionType[A],
      doc: String,
      default: Option[A] = None,
      whenUnset: String = "",
      aliases: Seq[String] = Nil
  ): EventHubsOption[A] = EventHubsOption(key, valueType, default, doc, OptionScope.Read, whenUnset, aliases)
}
