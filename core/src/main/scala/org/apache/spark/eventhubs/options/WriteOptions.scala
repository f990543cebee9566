package org.apache.spark.eventhubs.options

import java.time.Duration

/** Options of writing queries. */
private[spark] object WriteOptions {
  import OptionType._

  val PartitionId: EventHubsOption[Int] =
    option(
      "eventhubs.partitionId",
      Count(0),
      "Partition that all rows go to; overrules columns that name a partition or key.",
      whenUnset = "any"
    )

  val PartitionKey: EventHubsOption[String] = option(
    "eventhubs.partitionKey",
    Text,
    "Partition key of all rows; overrules columns that name a partition or key.",
    whenUnset = "none"
  )

  val MaxBatchBytes: EventHubsOption[Long] = option(
    "eventhubs.maxBatchBytes",
    Bytes(1024, Int.MaxValue.toLong),
    "Largest AMQP batch that is sent.",
    whenUnset = "the service's limit, 1 MB in most tiers"
  )

  val MaxInFlightBytes: EventHubsOption[Long] = option(
    "eventhubs.maxInFlightBytes",
    Bytes(1L << 20),
    "Bytes that one task may have sent while the service has not accepted them.",
    default = Some(8L << 20)
  )

  val SendTimeout: EventHubsOption[Duration] = option(
    "eventhubs.sendTimeout",
    Interval,
    "How long one batch may take until the service has accepted it, retries included, before the task fails. A service that is busy is waited for ten times as long, and longer while it accepts other batches of the executor.",
    default = Some(Duration.ofSeconds(60))
  )

  val OversizedEventsOption: EventHubsOption[OversizedEvents] = option(
    "eventhubs.oversizedEvents",
    Choice("fail" -> OversizedEvents.Fail, "drop" -> OversizedEvents.Drop),
    "What happens to an event that is larger than a batch can be: `fail` stops the query, `drop` leaves it out and counts it.",
    default = Some(OversizedEvents.Fail)
  )

  val UseV1Sink: EventHubsOption[Boolean] = option(
    "eventhubs.useV1Sink",
    Flag,
    "Whether a stream is written through Spark's V1 sink interface instead of V2.",
    default = Some(false),
    aliases = Seq("useV1Sink")
  )

  val Guarantee: EventHubsOption[DeliveryGuarantee] = option(
    "eventhubs.deliveryGuarantee",
    Choice("at-least-once" -> DeliveryGuarantee.AtLeastOnce, "exactly-once" -> DeliveryGuarantee.ExactlyOnce),
    "Whether what fails and is done again may leave events twice in the hub. `exactly-once` stamps each event, and looks into the " +
      "hub before anything is sent a second time, so the credential needs the right to listen too. A stream needs a checkpoint " +
      "location; a batch write `writeId`, `writeVersion` and `writeLogLocation`. See docs/delivery-semantics.md.",
    default = Some(DeliveryGuarantee.AtLeastOnce)
  )

  val WriteId: EventHubsOption[String] = option(
    "eventhubs.writeId",
    Text,
    "Names a sequence of batch writes, the same each time they are tried again: for a write in `foreachBatch`, a name of your " +
      "choice that no other write uses.",
    whenUnset = "none"
  )

  val WriteVersion: EventHubsOption[Long] = option(
    "eventhubs.writeVersion",
    LongCount(0),
    "Number of this write within `writeId`, growing from write to write: in `foreachBatch`, the batch id.",
    whenUnset = "none"
  )

  val WriteLogLocation: EventHubsOption[String] = option(
    "eventhubs.writeLogLocation",
    Text,
    "Folder in which batch writes with a `writeId` record where they began and that they are done. Streams use their checkpoint.",
    whenUnset = "none"
  )

  val SettleDelay: EventHubsOption[Duration] = option(
    "eventhubs.settleDelay",
    Interval,
    "How long `exactly-once` waits, after a failure only, before it looks for what is already in the hub: what a process that " +
      "was killed had sent may still be on its way.",
    default = Some(Duration.ofSeconds(5))
  )

  val StampEvents: EventHubsOption[Boolean] = option(
    "eventhubs.stampEvents",
    Flag,
    "Whether events written at least once carry an id by which readers can drop duplicates (`drop_duplicate_events`). Takes a " +
      "task about 48 bytes of memory per row.",
    default = Some(false)
  )

  val all: Seq[EventHubsOption[_]] = Seq(
    PartitionId,
    PartitionKey,
    MaxBatchBytes,
    MaxInFlightBytes,
    SendTimeout,
    OversizedEventsOption,
    UseV1Sink,
    Guarantee,
    WriteId,
    WriteVersion,
    WriteLogLocation,
    SettleDelay,
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
