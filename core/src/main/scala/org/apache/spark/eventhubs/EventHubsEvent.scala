package org.apache.spark.eventhubs

import java.time.Instant

/**
 * One event as plain values, for code that reads events as an RDD. It is an independent copy.
 *
 * @param offset     opaque text that the service issued
 * @param body       the bytes that the sender sent; null for an event without a value, such as a tombstone
 * @param properties the application properties as text: strings plain, other types as in the column `properties`
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
