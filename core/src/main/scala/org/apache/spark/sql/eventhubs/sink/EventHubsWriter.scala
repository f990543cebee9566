package org.apache.spark.sql.eventhubs.sink

import java.util.UUID

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.connection.EndpointProbe
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.{SendPermit, SendTotals}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.types.StructType

/** The driver's part of writing. It reports errors of options, columns and connection before anything is sent. */
private[eventhubs] object EventHubsWriter extends Logging {

  /** A hub can only be appended to. */
  def checkSaveMode(mode: SaveMode): Unit = mode match {
    case SaveMode.Append | SaveMode.ErrorIfExists => ()
    case SaveMode.Overwrite | SaveMode.Ignore => throw EventHubsErrors.unsupportedSaveMode(mode.toString)
  }

  /**
   * Parses the settings of a write and checks its connection to the hub.
   *
   * @param options as Spark passes them
   * @param schema  of the frame, where Spark tells it
   */
  def connect(options: Map[String, String], schema: Option[StructType] = None): WriteSettings = {
    val settings = WriteSettings.parse(options)
    if (settings.hubByRow) schema.foreach(CheckedColumns.bind(_, settings))
    // The hubs of rows are known when rows arrive.
    if (settings.hubByRow) EndpointProbe.check(settings.connection)
    else WriteReadiness(settings, ExecutorResources.get.producers)
    settings
  }

  /**
   * Sends all rows of an analysed query. When it returns, all of them are in the hub.
   *
   * @param settings checked by [[connect]]
   */
  def write(query: QueryExecution, settings: WriteSettings): SendTotals = {
    val writeId = settings.batchWrite.fold(WriteIdentity.ofBatchWrite(UUID.randomUUID().toString, 0)) { write =>
      WriteIdentity.ofBatchWrite(write.id, write.version)
    }
    write(writeId, query, new CheckedColumns(settings))
  }

  /** Sends a batch of the streaming query that runs in this thread. */
  def writeBatch(batchId: Long, query: QueryExecution, checked: CheckedColumns): SendTotals = {
    val queryId = query.sparkSession.sparkContext.getLocalProperty(WriteIdentity.QueryIdProperty)
    write(WriteIdentity.ofQuery(queryId, batchId), query, checked)
  }

  private def write(writeId: WriteIdentity, query: QueryExecution, checked: CheckedColumns): SendTotals = {
    val settings = checked.settings
    val columns = checked.of(query.analyzed.schema)
    val totals = query.toRdd
      .mapPartitions(rows => Iterator.single(writeTask(rows, settings, columns, writeId)))
      .collect()
      .foldLeft(SendTotals.Zero)(_ + _)
    logTotals(settings, totals)
    totals
  }

  private[eventhubs] def logTotals(settings: WriteSettings, totals: SendTotals): Unit = {
    val text = s"Wrote to ${settings.connection.hub}: $totals"
    if (totals.dropped > 0) logWarning(s"$text; ${totals.dropped} events were too large and were dropped")
    else logInfo(text)
  }

  private def writeTask(
      rows: Iterator[InternalRow],
      settings: WriteSettings,
      columns: EventHubsWriteColumns,
      writeId: WriteIdentity
  ): SendTotals = {
    val task = newTask(settings, columns, writeId)
    try {
      task.writeAll(rows)
      task.commit()
    } finally task.close()
  }

  /** Must be called in a Spark task. */
  private[eventhubs] def newTask(
      settings: WriteSettings,
      columns: EventHubsWriteColumns,
      writeId: WriteIdentity
  ): EventHubsWriteTask = {
    val context = TaskContext.get()
    val stamper = if (settings.stampEvents) new EventIdStamper(writeId.tag, context.partitionId()) else NoStamper
    new EventHubsWriteTask(
      settings,
      columns,
      ExecutorResources.get.producers,
      SendPermit(() => context.killTaskIfInterrupted()),
      ExecutorResources.get.background,
      stamper
    )
  }
}
