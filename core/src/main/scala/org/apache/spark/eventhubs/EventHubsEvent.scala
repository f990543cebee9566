package org.apache.spark.eventhubs

import java.time.Instant

/**
 * One event as plain values, for code that reads events as an RDD. It is a copy and belongs to whoever has it.
 *
 * @param offset     as issued by the service, opaque
 * @param body       bytes as sent
 * @param properties what the sender set, as text: strings plain, the rest as in the column `properties`
 */
final case class EventHubsEvent(
    partitionId: Int,
    sequenceNumber: Long,
    offset: String,
    enqueuedTime: Instant,
    partitionKey: Option[String],
    body: Array[Byte],
    properties: Map[String, String]
)
