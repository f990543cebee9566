package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.write.streaming.StreamingWrite
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, SupportsTruncate, Write, WriteBuilder}
import org.apache.spark.sql.eventhubs.EventHubsWriteMetrics
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend

/**
 * The write of a streaming query (V2). A hub cannot replace rows: like Append, Update and Complete mode send the rows
 * that the query produces in each batch.
 */
private[eventhubs] final class EventHubsWriteBuilder(
    checked: CheckedColumns,
    info: LogicalWriteInfo,
    progress: EventHubsWriteProgress
) extends WriteBuilder
    with SupportsTruncate
    with SupportsStreamingUpdateAsAppend {

  override def truncate(): WriteBuilder = this

  /** Spark calls this for every batch, so it must be cheap. */
  override def build(): Write =
    new EventHubsWrite(checked.settings, checked.of(info.schema), progress, info.queryId)
}

private[eventhubs] final class EventHubsWrite(
    settings: WriteSettings,
    columns: EventHubsWriteColumns,
    progress: EventHubsWriteProgress,
    queryId: String
) extends Write {

  override def description: String = s"EventHubs[${settings.connection.hub}]"

  override def toStreaming: StreamingWrite = new EventHubsStreamingWrite(settings, columns, progress, queryId)

  override def supportedCustomMetrics(): Array[CustomMetric] = EventHubsWriteMetrics.all
}
