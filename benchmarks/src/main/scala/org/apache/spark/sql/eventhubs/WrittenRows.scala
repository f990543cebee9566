package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.client.OutgoingBatches
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.exactlyonce.{EventStamping, FingerprintCounts, NoStamping, SkipAndStamp}
import org.apache.spark.sql.types.StructType

/** What a task that writes does with each row, up to the batch: no hub is asked. */
final class WrittenRows(schema: StructType, exactlyOnce: Boolean) {

  private val hub = EventHubName("bench", "bench")
  private val batches = new OutgoingBatches.Fill(1000000)

  private val stamping: EventStamping =
    if (exactlyOnce) new SkipAndStamp(tag = 1, task = 2, attempt = 3, new FingerprintCounts, _ => ()) else NoStamping

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
