package org.apache.spark.sql.eventhubs

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.client.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{EventRangeIterator, OffsetRange}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.util.LongAccumulator

/** One task's share of a V2 read. */
private[eventhubs] final case class EventHubsInputPartition(range: OffsetRange) extends InputPartition {
  override def preferredLocations(): Array[String] = range.preferredLocation.toArray
}

private[eventhubs] final case class EventHubsPartitionReaderFactory(
    settings: ReadSettings,
    converter: EventHubsRowConverter,
    lostEvents: LongAccumulator
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = partition match {
    case EventHubsInputPartition(range) => new EventHubsPartitionReader(range, settings, converter, lostEvents)
    case other => throw new IllegalArgumentException(s"$other is not a partition of an event hub")
  }
}

/** Rows of one range. Closing it early closes the receiver, through the task's end. */
private[eventhubs] final class EventHubsPartitionReader(
    range: OffsetRange,
    settings: ReadSettings,
    converter: EventHubsRowConverter,
    lostEvents: LongAccumulator
) extends PartitionReader[InternalRow] {

  private val events = new EventRangeIterator(
    range,
    settings,
    ExecutorResources.get,
    TaskContext.get(),
    reuseReceiver = true,
    lostEvents.add(_)
  )
  private val convert = converter.open(range)

  override def next(): Boolean = events.hasNext && { events.next(); true }

  override def get(): InternalRow = convert(events.current)

  override def close(): Unit = ()
}
