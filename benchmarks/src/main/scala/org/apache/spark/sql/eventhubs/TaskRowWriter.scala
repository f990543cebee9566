package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.connection.BatchFiller
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.exactlyonce.ExactlyOnceStamper
import org.apache.spark.sql.eventhubs.sink.{
  EventHubsWriteColumns,
  EventHubsWriteRows,
  EventStamper,
  Fingerprint,
  NoStamper
}
import org.apache.spark.sql.types.StructType

/** Encodes rows into batches like a writing task, without a hub. */
final class TaskRowWriter(schema: StructType, exactlyOnce: Boolean) {

  private val hub = EventHubName("bench", "bench")
  private val batches = new BatchFiller(1000000)

  private val stamper: EventStamper =
    if (exactlyOnce) new ExactlyOnceStamper(tag = 1, task = 2, attempt = 3) else NoStamper

  private val rows =
    new EventHubsWriteRows(
      EventHubsWriteColumns.bind(schema),
      WriteDestination.AnyPartition,
      hub,
      tombstones = false,
      stamper.ofBareEvents
    )

  /** Adds a row and returns the number of bytes in the batch. */
  def write(row: InternalRow): Int =
    batches.add(stamper(rows.event(row), rows.partition(row), Fingerprint.OneHub))
}
