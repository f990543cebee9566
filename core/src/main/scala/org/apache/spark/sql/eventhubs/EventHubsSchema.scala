package org.apache.spark.sql.eventhubs

import org.apache.spark.sql.types._

/** The nine columns of a read, stream or batch: names, order and types of the legacy connector. */
object EventHubsSchema {

  private val text = MapType(StringType, StringType, valueContainsNull = true)

  val schema: StructType = new StructType()
    .add("body", BinaryType)
    .add("partition", StringType)
    .add("offset", StringType)
    .add("sequenceNumber", LongType)
    .add("enqueuedTime", TimestampType)
    .add("publisher", StringType)
    .add("partitionKey", StringType)
    .add("properties", text)
    .add("systemProperties", text)

  /** The nine columns, and `eventHub` when a query asks for it. */
  private[eventhubs] def of(includeEventHub: Boolean): StructType =
    if (includeEventHub) schema.add("eventHub", StringType) else schema
}
