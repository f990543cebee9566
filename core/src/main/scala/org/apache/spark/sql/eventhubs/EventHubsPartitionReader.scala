package org.apache.spark.sql.eventhubs

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.client.HubScope
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{OffsetRange, RangeEvents, ReadAccumulator}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}

/**
 * One task's share of a V2 read.
 *
 * @param scope the hub that the range is of
 */
private[eventhubs] final case class EventHubsInputPartition(range: OffsetRange, scope: HubScope)
    extends InputPartition {
  override def preferredLocations(): Array[String] = range.preferredLocation.toArray
}

private[eventhubs] final case class EventHubsPartitionReaderFactory(
    settings: ReadSettings,
    converter: EventHubsRowConverter,
    totals: ReadAccumulator,
    reuseReceivers: Boolean = true
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = partition match {
    case EventHubsInputPartition(range, scope) =>
      new EventHubsPartitionReader(range, scope, settings, converter, totals, reuseReceivers)
    case other => throw new IllegalArgumentException(s"$other is not a partition of an event hub")
  }
}

/** Rows of one range. Closing it early closes the receiver, through the task's end. */
private[eventhubs] final class EventHubsPartitionReader(
    range: OffsetRange,
    scope: HubScope,
    settings: ReadSettings,
    converter: EventHubsRowConverter,
    totals: ReadAccumulator,
    reuseReceivers: Boolean
) extends PartitionReader[InternalRow] {

  private val lostBefore = totals.value.lost
  private val events =
    RangeEvents.ofTask(range, settings, TaskContext.get(), reuseReceivers, totals, scope)
  private val convert = converter.open(range)

  override def next(): Boolean = events.hasNext && { events.next(); true }

  override def get(): InternalRow = convert(events.current)

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    EventHubsReadMetrics.values(events.report, totals.value.lost - lostBefore)

  override def close(): Unit = ()
}
