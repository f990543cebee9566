package org.apache.spark.eventhubs.options

import java.time.Duration

/** Options of queries that write. */
private[spark] object WriteOptions {
  import OptionType._

  val PartitionId: EventHubsOption[Int] =
    option(
      "eventhubs.partitionId",
      IntRange(0),
      "Partition of all rows. It overrides the columns for partition and key.",
      whenUnset = "any"
    )

  val PartitionKey: EventHubsOption[String] = option(
    "eventhubs.partitionKey",
    Text,
    "Partition key of all rows. It overrides the columns for partition and key.",
    whenUnset = "none"
  )

  val MaxBatchBytes: EventHubsOption[Long] = option(
    "eventhubs.maxBatchBytes",
    ByteSize(1024, Int.MaxValue.toLong),
    "Maximum size of an AMQP batch. It must not be larger than `maxInFlightBytes`: for batches above 8 MiB raise " +
      "both.",
    whenUnset = "the service's limit, 1 MB in most tiers"
  )

  val MaxInFlightBytes: EventHubsOption[Long] = option(
    "eventhubs.maxInFlightBytes",
    ByteSize(1L << 20),
    "Bytes that one task may have in flight: sent, but not yet accepted by the service. Of rows with a partition or " +
      "a key, and of all rows with `idempotentProducer`, at most one batch of each partition is in flight.",
    default = Some(8L << 20)
  )

  val LingerMs: EventHubsOption[Int] = option(
    "eventhubs.lingerMs",
    IntRange(0, 60000),
    "Milliseconds that a batch which is not full waits for more events. `0` sends an event at once. While the service " +
      "has not yet accepted the last batch of a partition, the next one is filled further in any case.",
    whenUnset = "in Real-Time Mode 0; otherwise a batch waits until it is full or its task ends"
  )

  val SendTimeout: EventHubsOption[Duration] = option(
    "eventhubs.sendTimeout",
    PositiveDuration,
    "Longest time for one batch to be accepted by the service, retries included. After this time the task fails. If the " +
      "service is busy, the task waits ten times as long, and longer while the service accepts other batches of the " +
      "executor.",
    default = Some(Duration.ofSeconds(60))
  )

  val OversizedEventsOption: EventHubsOption[OversizedEvents] = option(
    "eventhubs.oversizedEvents",
    Choice("fail" -> OversizedEvents.Fail, "drop" -> OversizedEvents.Drop),
    "What happens to an event that does not fit into a batch: `fail` stops the query, `drop` skips and counts the " +
      "event.",
    default = Some(OversizedEvents.Fail)
  )

  val Tombstones: EventHubsOption[Boolean] = option(
    "eventhubs.writeTombstones",
    Flag,
    "`true` writes a row with a null body as a tombstone, an event without a value. The row must have a partition " +
      "key. In a compacted hub the tombstone deletes the earlier events of this key. `false` makes such a row an " +
      "error.",
    default = Some(false)
  )

  val UseV1Sink: EventHubsOption[Boolean] = option(
    "eventhubs.useV1Sink",
    Flag,
    "Whether a stream writes through Spark's V1 sink interface instead of V2.",
    default = Some(false),
    aliases = Seq("useV1Sink")
  )

  val Guarantee: EventHubsOption[DeliveryGuarantee] = option(
    "eventhubs.deliveryGuarantee",
    Choice("at-least-once" -> DeliveryGuarantee.AtLeastOnce, "exactly-once" -> DeliveryGuarantee.ExactlyOnce),
    "`at-least-once` may write an event twice when something fails and is retried. `exactly-once` stamps each event " +
      "and reads the hub before it sends anything a second time, so the credential also needs the right to listen. A " +
      "stream needs a checkpoint location. A batch write needs `writeId`, `writeVersion` and `writeLogLocation`. See " +
      "docs/delivery-semantics.md.",
    default = Some(DeliveryGuarantee.AtLeastOnce)
  )

  val WriteId: EventHubsOption[String] = option(
    "eventhubs.writeId",
    Text,
    "Name of a sequence of batch writes. It stays the same when a write is retried. For a write in `foreachBatch`, " +
      "choose a name that no other write uses.",
    whenUnset = "none"
  )

  val WriteVersion: EventHubsOption[Long] = option(
    "eventhubs.writeVersion",
    LongRange(0),
    "Number of this write within `writeId`. It must grow from write to write. In `foreachBatch`, use the batch id.",
    whenUnset = "none"
  )

  val WriteLogLocation: EventHubsOption[String] = option(
    "eventhubs.writeLogLocation",
    Text,
    "Folder in which batch writes with a `writeId` record their start and their end. Streams use their checkpoint.",
    whenUnset = "none"
  )

  val SettleDelay: EventHubsOption[Duration] = option(
    "eventhubs.settleDelay",
    PositiveDuration,
    "How long `exactly-once` waits after a failure before it reads which events are already in the hub. Batches that " +
      "a killed process sent may still arrive in this time.",
    default = Some(Duration.ofSeconds(5))
  )

  val SettleDelayAfterTimeout: EventHubsOption[Duration] = option(
    "eventhubs.settleDelayAfterTimeout",
    PositiveDuration,
    "How long `exactly-once` waits instead of `settleDelay` when an attempt to send had no answer until it timed " +
      "out, or for longer than `settleDelay`. The connector resets the connection, but a proxy or gateway may still " +
      "deliver what it holds.",
    default = Some(Duration.ofSeconds(60))
  )

  val IdempotentProducer: EventHubsOption[Boolean] = option(
    "eventhubs.idempotentProducer",
    Flag,
    "Whether `exactly-once` sends as idempotent producers where the service grants them. The service then refuses what " +
      "a connection that was given up still delivers, however late, and a task needs no settle delay after a lost " +
      "answer. Each event becomes about 120 bytes larger, and each task has a link of its own to each partition.",
    default = Some(false)
  )

  val StampEvents: EventHubsOption[Boolean] = option(
    "eventhubs.stampEvents",
    Flag,
    "Whether events of an `at-least-once` write carry an id, so that readers can drop duplicates " +
      "(`drop_duplicate_events`). A task needs about 48 bytes of memory per row for it.",
    default = Some(false)
  )

  val all: Seq[EventHubsOption[_]] = Seq(
    PartitionId,
    PartitionKey,
    MaxBatchBytes,
    MaxInFlightBytes,
    LingerMs,
    SendTimeout,
    OversizedEventsOption,
    Tombstones,
    UseV1Sink,
    Guarantee,
    WriteId,
    WriteVersion,
    WriteLogLocation,
    SettleDelay,
    SettleDelayAfterTimeout,
    IdempotentProducer,
    StampEvents
  )

  private def option[A](
      key: String,
      valueType: OptionType[A],
      doc: String,
      default: Option[A] = None,
      whenUnset: String = "",
      aliases: Seq[String] = Nil
  ): EventHubsOption[A] = EventHubsOption(key, valueType, default, doc, OptionScope.Write, whenUnset, aliases)
}
