package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.{EventPosition, PartitionPositions}

/** Options of reading queries. */
private[spark] object ReadOptions {
  import OptionType._

  val ConsumerGroup: EventHubsOption[String] =
    option("eventhubs.consumerGroup", Text, "Consumer group that reads.", default = Some("$Default"))

  val StartingPosition: EventHubsOption[EventPosition] = option(
    "eventhubs.startingPosition",
    Position,
    "Where every partition is read from: `earliest`, `latest`, a sequence number, a time with its zone such as " +
      "`2024-01-31T12:00:00Z`, or the legacy connector's JSON. A streaming query takes it at its first start only; later " +
      "ones go on from the checkpoint.",
    whenUnset = "`latest` for streams, `earliest` for batch reads"
  )

  val StartingPositions: EventHubsOption[PartitionPositions] = option(
    "eventhubs.startingPositions",
    Positions,
    "Where single partitions are read from, before `startingPosition`: JSON such as `{\"0\":123,\"1\":\"latest\"}`, or the " +
      "legacy connector's, whose keys name hub and partition.",
    whenUnset = "`startingPosition` for all"
  )

  val EndingPosition: EventHubsOption[EventPosition] = option(
    "eventhubs.endingPosition",
    Position,
    "Where a batch read ends in every partition. Streams pass over it.",
    default = Some(EventPosition.EndOfStream)
  )

  val EndingPositions: EventHubsOption[PartitionPositions] = option(
    "eventhubs.endingPositions",
    Positions,
    "Where a batch read ends in single partitions, before `endingPosition`; written like `startingPositions`.",
    whenUnset = "`endingPosition` for all"
  )

  val Partitions: EventHubsOption[Set[Int]] = option(
    "eventhubs.partitions",
    PartitionIds,
    "Ids of the partitions to read, such as `0,2` or `0-3`.",
    whenUnset = "all, those added later included"
  )

  val MaxEventsPerTrigger: EventHubsOption[Long] = option(
    "eventhubs.maxEventsPerTrigger",
    LongCount(1),
    "Most events of one micro-batch over all partitions, divided by their backlog.",
    whenUnset = "unlimited",
    aliases = Seq("maxEventsPerTrigger")
  )

  val MaxBytesPerTrigger: EventHubsOption[Long] = option(
    "eventhubs.maxBytesPerTrigger",
    Bytes(1),
    "Roughly the most bytes of bodies of one micro-batch over all partitions, by the mean size of the events read before; " +
      "until that is known every event counts 1 MiB.",
    whenUnset = "unlimited",
    aliases = Seq("maxBytesPerTrigger")
  )

  val MinEventsPerTrigger: EventHubsOption[Long] = option(
    "eventhubs.minEventsPerTrigger",
    LongCount(1),
    "Fewest events of one micro-batch: a smaller backlog waits for more, until `maxTriggerDelay` has passed since the last " +
      "batch. Trigger.AvailableNow and Trigger.Once do not wait.",
    whenUnset = "1",
    aliases = Seq("minEventsPerTrigger")
  )

  val MaxTriggerDelay: EventHubsOption[Duration] = option(
    "eventhubs.maxTriggerDelay",
    Interval,
    "How long `minEventsPerTrigger` may hold events back.",
    default = Some(Duration.ofMinutes(15)),
    aliases = Seq("maxTriggerDelay")
  )

  val FailOnDataLoss: EventHubsOption[Boolean] = option(
    "eventhubs.failOnDataLoss",
    Flag,
    "Whether a query stops when events that it should read no longer exist. If not, it goes on at the oldest that do, and " +
      "counts the lost ones.",
    default = Some(true),
    aliases = Seq("failOnDataLoss")
  )

  val PrefetchCount: EventHubsOption[Int] = option(
    "eventhubs.prefetchCount",
    Count(1, 8000),
    "Events that a receiver keeps ahead of the task that reads them.",
    whenUnset = "as many as fit into `receiverBufferBytes`"
  )

  val ReceiverBufferBytes: EventHubsOption[Long] = option(
    "eventhubs.receiverBufferBytes",
    Bytes(65536),
    "Bytes that a receiver may keep ahead of the task that reads them, when `prefetchCount` is not set. Between " +
      "micro-batches all receivers of an executor together keep what `maxConnections` of them may.",
    default = Some(16L << 20)
  )

  val ReceiverTimeout: EventHubsOption[Duration] = option(
    "eventhubs.receiverTimeout",
    Interval,
    "How long a receiver may be silent, though events are known to be there, before it is opened anew. When it is left out " +
      "and `operationTimeout` is shorter, that one holds.",
    default = Some(Duration.ofSeconds(60))
  )

  val ReceiverIdleTimeout: EventHubsOption[Duration] = option(
    "eventhubs.receiverIdleTimeout",
    Interval,
    "How long a receiver that no task uses stays open for the next batch.",
    default = Some(Duration.ofMinutes(5))
  )

  val UseExclusiveReceiver: EventHubsOption[Boolean] = option(
    "eventhubs.useExclusiveReceiver",
    Flag,
    "Whether receivers are exclusive: another one of the same consumer group and partition disconnects this one, unless its " +
      "`ownerLevel` is lower. Not together with `minPartitions` or `maxEventsPerTask`, whose tasks would disconnect each other.",
    whenUnset = "`true` when `ownerLevel` is set, else `false`"
  )

  val OwnerLevel: EventHubsOption[Long] = option(
    "eventhubs.ownerLevel",
    LongCount(0),
    "Rank (epoch) of exclusive receivers; the highest reads. Not together with `minPartitions` or `maxEventsPerTask`.",
    whenUnset = "0 when `useExclusiveReceiver` is `true`"
  )

  val MaxConnections: EventHubsOption[Int] = option(
    "eventhubs.maxConnections",
    Count(1),
    "AMQP connections of one executor for receivers; beyond it receivers share them.",
    whenUnset = "twice the executor's cores"
  )

  val MinPartitions: EventHubsOption[Int] = option(
    "eventhubs.minPartitions",
    Count(1),
    "Fewest Spark tasks of a batch: long ranges are split, into at most 5 per hub partition.",
    whenUnset = "one task per hub partition",
    aliases = Seq("minPartitions")
  )

  val MaxEventsPerTask: EventHubsOption[Long] = option(
    "eventhubs.maxEventsPerTask",
    LongCount(1),
    "Most events of one Spark task: longer ranges are split, into at most 5 per hub partition.",
    whenUnset = "unlimited"
  )

  val MaxPartitions: EventHubsOption[Int] = option(
    "eventhubs.maxPartitions",
    Count(1),
    "Most Spark tasks of a batch: hub partitions share a task, neighbours together, always the same ones. For hubs with many " +
      "partitions and few events in each batch; two tasks per core are enough to keep all cores busy. Not together with " +
      "`minPartitions` or `maxEventsPerTask`.",
    whenUnset = "one task per hub partition"
  )

  val PreferredLocations: EventHubsOption[PreferredLocationStrategy] = option(
    "eventhubs.partitionPreferredLocationStrategy",
    Choice(
      "Hash" -> PreferredLocationStrategy.Hash,
      "BalancedHash" -> PreferredLocationStrategy.BalancedHash,
      "Stable" -> PreferredLocationStrategy.Stable
    ),
    "How partitions are placed on executors. `Stable` spreads them evenly and moves few when an executor comes or goes; " +
      "`BalancedHash` gives consecutive partitions to consecutive executors and moves most; `Hash` scatters them.",
    default = Some(PreferredLocationStrategy.Stable),
    aliases = Seq("partitionPreferredLocationStrategy")
  )

  val ReplayCacheBytes: EventHubsOption[Long] = option(
    "eventhubs.replayCacheBytes",
    Bytes(0),
    "Memory in which an executor keeps the events that it has read, for a second pass over the same batch: several actions " +
      "or writers in `foreachBatch`, or a batch read used twice. `0` keeps none, which is best for the usual single pass.",
    default = Some(0L)
  )

  val UseV1Source: EventHubsOption[Boolean] = option(
    "eventhubs.useV1Source",
    Flag,
    "Whether a stream is read through Spark's V1 source interface instead of V2.",
    default = Some(false),
    aliases = Seq("useV1Source")
  )

  val all: Seq[EventHubsOption[_]] = Seq(
    UseV1Source,
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
    ReplayCacheBytes
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
