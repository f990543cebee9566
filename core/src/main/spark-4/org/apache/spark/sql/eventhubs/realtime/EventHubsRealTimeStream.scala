package org.apache.spark.sql.eventhubs.realtime

import org.apache.spark.sql.connector.read.streaming.{Offset, PartitionOffset, SupportsRealTimeMode}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.eventhubs.hubs.OpenBatch
import org.apache.spark.sql.eventhubs.source.{EventHubsMicroBatchStream, EventHubsRowConverter, EventHubsStreamSession}
import org.apache.spark.sql.eventhubs.{EventHubsSchema, EventHubsSourceOffset}

/**
 * The stream for Spark versions with Real-Time Mode (4.1 and later). Its tasks read until their batch ends and then
 * report their end offsets. With any other trigger it behaves like its superclass. It is created by its class name, so
 * that an older Spark never loads this package.
 */
private[eventhubs] final class EventHubsRealTimeStream(session: EventHubsStreamSession)
    extends EventHubsMicroBatchStream(session)
    with SupportsRealTimeMode {

  private var isRealTime = false

  override def prepareForRealTimeMode(): Unit = {
    RealTimeConflicts.check(settings)
    isRealTime = true
  }

  /** The current batch. Spark plans a batch, runs it and merges its offsets before it plans the next one. */
  private var batch = Option.empty[OpenBatch]

  override def planInputPartitions(start: Offset): Array[InputPartition] = {
    val opened = session.planner.openBatch(EventHubsSourceOffset.from(start))
    batch = Some(opened)
    opened.ranges.map(range => EventHubsRealTimePartition(range, opened.generation): InputPartition).toArray
  }

  override def mergeOffsets(offsets: Array[PartitionOffset]): Offset = {
    val reached = offsets.collect { case EventHubsPartitionOffset(partition, seqNo) => partition -> seqNo }
    val ended = batch.getOrElse(throw new IllegalStateException("Spark merges offsets of a batch that it did not plan"))
    session.planner.close(ended, reached.toMap)
  }

  override def createReaderFactory(): PartitionReaderFactory =
    if (!isRealTime) super.createReaderFactory()
    else
      EventHubsRealTimeReaderFactory(
        settings,
        EventHubsRowConverter(EventHubsSchema.of(settings.includeEventHub).fieldNames.toSeq),
        session.totals
      )
}
