package org.apache.spark.sql.eventhubs

import java.util.{Map => JavaMap}

import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.internal.Logging
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.eventhubs.sink.EventHubsWriteProgress
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.streaming.Sink

/**
 * Writes each micro-batch of a streaming query (V1).
 *
 * @param settings checked by `EventHubsWriter.connect`
 * @param write    sends all rows of the batch with this id. After a restart Spark repeats a batch that was not
 *                 committed, and this function decides whether its events arrive at least once or exactly once
 */
private[eventhubs] final class EventHubsSink(settings: WriteSettings, write: (Long, QueryExecution) => SendTotals)
    extends Sink
    with ReportsSinkMetrics
    with Logging {

  private val progress = new EventHubsWriteProgress
  private var lastWritten = Option.empty[Long]

  override def addBatch(batchId: Long, data: DataFrame): Unit =
    if (lastWritten.exists(batchId <= _)) logInfo(s"Batch $batchId was written to ${settings.connection.hub} before")
    else {
      progress.committed(write(batchId, data.queryExecution))
      lastWritten = Some(batchId)
    }

  override def metrics(): JavaMap[String, String] = progress.metrics

  override def toString: String = s"EventHubsSink[${settings.connection.hub}]"
}
