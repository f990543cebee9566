package org.apache.spark.sql.eventhubs.realtime

import org.apache.spark.sql.eventhubs.EventHubsSchema
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.source.EventHubsMicroBatchStream
import org.apache.spark.sql.eventhubs.source.EventHubsRowConverter
import org.apache.spark.sql.eventhubs.source.EventHubsStreamSession

import org.apache.spark.sql.connector.read.streaming.{Offset, PartitionOffset, SupportsRealTimeMode}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}

/**
 * The stream where Spark has Real-Time Mode (4.1 and later): tasks that read as long as a batch lasts and say at its end
 * how far they came. With any other trigger it is the stream that it extends. Made by its class name, so that an older
 * Spark never loads this package.
 */
final class EventHubsRealTimeStream(session: EventHubsStreamSession)
    extends EventHubsMicroBatchStream(session)
    with SupportsRealTimeMode {

  private var isRealTime = false

  override def prepareForRealTimeMode(): Unit = {
    RealTimeConflicts.check(settings)
    isRealTime = true
  }

  override def planInputPartitions(start: Offset): Array[InputPartition] = {
    val ranges = session.planner.openRanges(EventHubsSourceOffset.from(start))
    val scope = session.planner.scope
    ranges.map(range => EventHubsRealTimePartition(range, scope): InputPartition).toArray
  }

  override def mergeOffsets(offsets: Array[PartitionOffset]): Offset = {
    val reached = offsets.collect { case EventHubsPartitionOffset(partition, seqNo) => partition -> seqNo }
    session.planner.reached(reached.toMap)
  }

  override def createReaderFactory(): PartitionReaderFactory =
    if (!isRealTime) super.createReaderFactory()
    else
      EventHubsRealTimeReaderFactory(
        settings,
        EventHubsRowConverter(EventHubsSchema.schema.fieldNames.toSeq),
        session.totals
      )
}
