package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.connection.EventBatches
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.exactlyonce.ExactlyOnceStamper
import org.apache.spark.sql.eventhubs.sink.{
  EventHubsWriteColumns,
  EventHubsWriteRows,
  EventStamper,
  FingerprintCounts,
  NoStamper
}
import org.apache.spark.sql.types.StructType

/** What a task that writes does with each row, up to the batch: no hub is asked. */
final class WrittenRows(schema: StructType, exactlyOnce: Boolean) {

  private val hub = EventHubName("bench", "bench")
  private val batches = new EventBatches.Fill(1000000)

  private val stamping: EventStamper =
    if (exactlyOnce) new ExactlyOnceStamper(tag = 1, task = 2, attempt = 3, new FingerprintCounts, _ => ())
    else NoStamper

  private val rows =
    new EventHubsWriteRows(
      EventHubsWriteColumns.bind(schema),
      WriteDestination.AnyPartition,
      hub,
      stamping.ofBareEvents
    )

  /** @return bytes in the batch */
  def write(row: InternalRow): Int =
    stamping(rows.event(row), rows.partition(row)).fold(0)(batches.add)
}
