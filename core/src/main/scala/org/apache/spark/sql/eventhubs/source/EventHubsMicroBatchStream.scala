package org.apache.spark.sql.eventhubs.source

import org.apache.spark.sql.connector.read.streaming.{MicroBatchStream, Offset}
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.eventhubs.{EventHubsSchema, EventHubsSourceOffset}

/** An event hub as a V2 micro-batch stream. */
private[eventhubs] class EventHubsMicroBatchStream(override protected val session: EventHubsStreamSession)
    extends MicroBatchStream
    with EventHubsStream {

  override def initialOffset(): Offset = session.planner.initialOffset

  /** Never called: Spark calls the method with a limit. */
  override def latestOffset(): Offset =
    throw new UnsupportedOperationException(
      "This source has read limits, so Spark calls latestOffset(Offset, ReadLimit)."
    )

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = {
    val batch = session.planner.planned(EventHubsSourceOffset.from(start), EventHubsSourceOffset.from(end))
    batch.noteRun()
    EventHubsInputPartition.of(batch.tasks, session.planner.resolveGeneration(batch.ranges))
  }

  override def createReaderFactory(): PartitionReaderFactory =
    EventHubsPartitionReaderFactory(
      settings,
      EventHubsRowConverter(EventHubsSchema.of(settings.includeEventHub).fieldNames.toSeq),
      session.totals
    )

  override def commit(end: Offset): Unit = session.committed(EventHubsSourceOffset.from(end))
}
