package org.apache.spark.sql.eventhubs.realtime

import java.lang.{Long => JavaLong}

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{OffsetRange, ReadAccumulator, ReceiverReuse, UnboundedRangeReader}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead.RecordStatus
import org.apache.spark.sql.connector.read.streaming.{PartitionOffset, SupportsRealTimeRead}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.eventhubs.EventHubsReadMetrics
import org.apache.spark.sql.eventhubs.source.EventHubsRowConverter

/** Where the task of one partition ended. */
private[realtime] final case class EventHubsPartitionOffset(partition: NameAndPartition, nextSeqNo: Long)
    extends PartitionOffset

/**
 * @param range      where to start; its end is ignored
 * @param generation the hub that it was planned for
 */
private[realtime] final case class EventHubsRealTimePartition(range: OffsetRange, generation: HubGeneration)
    extends InputPartition {
  override def preferredLocations(): Array[String] = range.preferredLocation.toArray
}

private[realtime] final case class EventHubsRealTimeReaderFactory(
    settings: ReadSettings,
    converter: EventHubsRowConverter,
    totals: ReadAccumulator
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = partition match {
    case EventHubsRealTimePartition(range, generation) =>
      new EventHubsRealTimeReader(range, generation, settings, converter, totals)
    case other => throw new IllegalArgumentException(s"$other is not a partition of a Real-Time read")
  }
}

/** Rows of one partition as they arrive. The arrival time for Spark is the event's enqueued time. */
private[realtime] final class EventHubsRealTimeReader(
    range: OffsetRange,
    generation: HubGeneration,
    settings: ReadSettings,
    converter: EventHubsRowConverter,
    totals: ReadAccumulator
) extends SupportsRealTimeRead[InternalRow] {

  private val lostBefore = totals.value.lost
  private val events = new UnboundedRangeReader(
    range,
    settings.ofHub(range.name),
    generation.ofHub(range.name),
    ExecutorResources.get,
    TaskContext.get(),
    ReceiverReuse.keepsReceiverOf(range),
    totals
  )
  private val convert = converter.open(range)

  // Spark 4.1 has the first of these two, 4.2 the second, 4.3 both. Without `override` they compile with each.

  def nextWithTimeout(timeoutMillis: JavaLong): RecordStatus =
    if (events.advanceWithin(timeoutMillis)) RecordStatus.newStatusWithArrivalTimeMs(events.current.enqueuedMillis)
    else RecordStatus.newStatusWithoutArrivalTime(false)

  def nextWithTimeout(nowMillis: JavaLong, timeoutMillis: JavaLong): RecordStatus = nextWithTimeout(timeoutMillis)

  override def getOffset(): PartitionOffset = EventHubsPartitionOffset(range.nameAndPartition, events.nextSeqNo)

  /** Real-Time Mode does not call it. A partition has no end. */
  override def next(): Boolean = {
    while (!events.advanceWithin(1000)) {}
    true
  }

  override def get(): InternalRow = convert(events.current)

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    EventHubsReadMetrics.values(EventHubsReadMetrics.Nothing + events.report, totals.value.lost - lostBefore)

  override def close(): Unit = ()
}
