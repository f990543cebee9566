package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.connector.write.{DataWriter, PhysicalWriteInfo, WriterCommitMessage}
import org.apache.spark.sql.eventhubs.EventHubsWriteMetrics

/** A task's events are in the hub when the task commits, so the driver has nothing to commit or abort. */
private[eventhubs] final class EventHubsStreamingWrite(
    settings: WriteSettings,
    columns: EventHubsWriteColumns,
    progress: EventHubsWriteProgress,
    queryId: String
) extends StreamingWrite {

  override def createStreamingWriterFactory(info: PhysicalWriteInfo): StreamingDataWriterFactory =
    new EventHubsStreamingWriterFactory(
      if (RealTimeTrigger.isOf(queryId)) settings.forRealTime else settings,
      columns,
      queryId
    )

  // A coordinator decides which attempt's output becomes visible. Here every attempt's events are visible at once.
  override def useCommitCoordinator(): Boolean = false

  override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit = {
    val totals =
      messages.collect { case EventHubsTaskCommitted(totals) => totals }.foldLeft(SendTotals.Zero)(_ + _)
    EventHubsWriter.logTotals(settings, totals)
    progress.committed(totals)
  }

  override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit = ()
}

private[eventhubs] final case class EventHubsTaskCommitted(totals: SendTotals) extends WriterCommitMessage

private[eventhubs] final class EventHubsStreamingWriterFactory(
    settings: WriteSettings,
    columns: EventHubsWriteColumns,
    queryId: String
) extends StreamingDataWriterFactory {

  override def createWriter(partitionId: Int, taskId: Long, epochId: Long): DataWriter[InternalRow] =
    new EventHubsDataWriter(EventHubsWriter.newTask(settings, columns, WriteIdentity.ofQuery(queryId, epochId)))
}

private[eventhubs] final class EventHubsDataWriter(task: EventHubsWriteTask) extends DataWriter[InternalRow] {

  override def write(row: InternalRow): Unit = task.write(row)

  override def commit(): WriterCommitMessage = EventHubsTaskCommitted(task.commit())

  override def abort(): Unit = ()

  override def close(): Unit = task.close()

  override def currentMetricsValues(): Array[CustomTaskMetric] = EventHubsWriteMetrics.values(task.accepted)
}
