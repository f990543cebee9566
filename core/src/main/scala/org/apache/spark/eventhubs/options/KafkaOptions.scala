package org.apache.spark.eventhubs.options

import java.util.Locale

/**
 * Options of Spark's Kafka source and sink. They have no effect here, so the connector rejects them and names its own
 * option. Names that both connectors have, such as `failOnDataLoss`, are aliases in the option table.
 */
private[eventhubs] object KafkaOptions {

  private val prefix = "kafka."

  /** Each name, and what to do instead in one sentence without its full stop. */
  val all: Seq[(String, String)] = Seq(
    "kafka.bootstrap.servers" -> "Set 'eventhubs.connectionString', or 'eventhubs.namespace' and 'eventhubs.name'",
    "kafka.security.protocol" -> "Set 'eventhubs.connectionString', or 'eventhubs.auth.type'",
    "kafka.sasl.mechanism" -> "Set 'eventhubs.connectionString', or 'eventhubs.auth.type'",
    "kafka.sasl.jaas.config" -> "Set 'eventhubs.connectionString', or 'eventhubs.auth.type'",
    "kafka.group.id" -> "Set 'eventhubs.consumerGroup'",
    "groupIdPrefix" -> "Set 'eventhubs.consumerGroup'",
    "subscribe" -> "Set 'eventhubs.name', or EntityPath in 'eventhubs.connectionString'",
    "subscribePattern" -> "Set 'eventhubs.namePattern', such as 'orders-.*'",
    "topic" -> "Set 'eventhubs.name', or EntityPath in 'eventhubs.connectionString'",
    "assign" -> "Set 'eventhubs.partitions', such as '0,2'",
    "startingOffsets" -> "Set 'eventhubs.startingPosition', or 'eventhubs.startingPositions' for single partitions",
    "endingOffsets" -> "Set 'eventhubs.endingPosition', or 'eventhubs.endingPositions' for single partitions",
    "startingTimestamp" -> "Set 'eventhubs.startingPosition' to a time with its zone, such as '2024-01-31T12:00:00Z'",
    "endingTimestamp" -> "Set 'eventhubs.endingPosition' to a time with its zone, such as '2024-01-31T12:00:00Z'",
    "startingOffsetsByTimestamp" -> "Set 'eventhubs.startingPositions' with times",
    "endingOffsetsByTimestamp" -> "Set 'eventhubs.endingPositions' with times",
    "startingOffsetsByTimestampStrategy" -> "Remove it: a time after the last event is the end of the partition",
    "maxOffsetsPerTrigger" -> "Set 'eventhubs.maxEventsPerTrigger'",
    "minOffsetsPerTrigger" -> "Set 'eventhubs.minEventsPerTrigger'",
    "maxRecordsPerPartition" -> "Set 'eventhubs.maxEventsPerTask'",
    "includeHeaders" -> "Remove it: the column 'properties' always has them",
    "kafkaConsumer.pollTimeoutMs" -> "Set 'eventhubs.receiverTimeout'",
    "fetchOffset.numRetries" -> "Set 'eventhubs.operationTimeout': questions are repeated until it is over",
    "fetchOffset.retryIntervalMs" -> "Remove it: the pauses between retries grow on their own"
  )

  private val byName = all.map { case (name, instead) => name.toLowerCase(Locale.ROOT) -> instead }.toMap

  /** @return what to do instead; None if Kafka's connector has no such option */
  def instead(name: String): Option[String] = {
    val lower = name.toLowerCase(Locale.ROOT)
    byName.get(lower).orElse(
      Option.when(lower.startsWith(prefix))("Remove it: this connector uses AMQP, and has no Kafka client")
    )
  }
}
