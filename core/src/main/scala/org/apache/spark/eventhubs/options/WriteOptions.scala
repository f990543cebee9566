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
    "How long one batch may take until the service has accepted it, retries and throttling included, before the task fails.",
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

  val all: Seq[EventHubsOption[_]] =
    Seq(PartitionId, PartitionKey, MaxBatchBytes, MaxInFlightBytes, SendTimeout, OversizedEventsOption, UseV1Sink)

  private def option[A](
      key: String,
      valueType: OptionType[A],
      doc: String,
      default: Option[A] = None,
      whenUnset: String = "",
      aliases: Seq[String] = Nil
  ): EventHubsOption[A] = EventHubsOption(key, valueType, default, doc, OptionScope.Write, whenUnset, aliases)
}
