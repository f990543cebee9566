package org.apache.spark.sql.eventhubs.sink

import java.util.UUID

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.connection.{EndpointProbe, ProducerPool}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{WriteDestination, WriteSettings}
import org.apache.spark.eventhubs.send.{ProducerCalls, SendTotals}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SaveMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SystemClock

/** The driver's side of writing: what can be known to be wrong is said here, before anything is sent. */
private[spark] object EventHubsWriter extends Logging {

  /** A hub can be added to, and nothing else. */
  def checkSaveMode(mode: SaveMode): Unit = mode match {
    case SaveMode.Append | SaveMode.ErrorIfExists => ()
    case SaveMode.Overwrite | SaveMode.Ignore => throw EventHubsErrors.unsupportedSaveMode(mode.toString)
  }

  /** @throws org.apache.spark.eventhubs.EventHubsException naming the column that is missing or of a wrong type */
  def checkColumns(schema: StructType, settings: WriteSettings): EventHubsWriteColumns = {
    val columns = EventHubsWriteColumns.bind(schema)
    if (columns.unused.nonEmpty) logInfo(s"Columns that are not written to ${settings.connection.hub}: " +
      columns.unused.mkString(", "))
    val overruled = columns.partition.map(_.name) ++ columns.partitionKey.map(schema.fieldNames(_))
    if (settings.destination != WriteDestination.AnyPartition && overruled.nonEmpty)
      logWarning(s"The options send all rows to ${settings.connection.hub} to ${settings.destination}; " +
        s"not looked at: ${overruled.mkString(", ")}")
    columns
  }

  /**
   * The settings of a query that is about to write, once its way to the hub is known to work.
   *
   * @param options as Spark hands them over
   */
  def connect(options: Map[String, String]): WriteSettings = {
    val settings = WriteSettings.parse(options)
    checkHub(settings, ExecutorResources.get.producers)
    settings
  }

  /**
   * Connects as the tasks will: finds a wrong key, a missing claim, an unknown hub or partition, an unreachable
   * endpoint.
   */
  private def checkHub(settings: WriteSettings, pool: ProducerPool): Unit = {
    val connection = settings.connection
    EndpointProbe.check(connection)
    val lease = pool.borrow(connection)
    try {
      val ask = new ProducerCalls(
        lease,
        connection.operationTimeout,
        connection.maxRetries + 1,
        new SystemClock,
        checkCancelled = () => ()
      )
      val known = ask("asking for its partitions before writing")(_ => lease.partitionIds(refresh = true))
      settings.destination match {
        case WriteDestination.ToPartition(id) if !known.contains(id) =>
          throw EventHubsErrors.invalidOption(
            "eventhubs.partitionId",
            id,
            s"one of ${connection.hub}'s partitions: ${known.mkString(", ")}"
          )
        case _ => ()
      }
      // Only a link for sending shows that the credential may send.
      ask("opening a link to write to it")(_.newBatch(settings.destination, settings.maxBatchBytes))
      ()
    } finally lease.close()
  }

  /**
   * Sends all rows of an analysed query. When it returns, all of them are in the hub.
   *
   * @param settings that [[connect]] has found to work
   */
  def write(query: QueryExecution, settings: WriteSettings): SendTotals = {
    val name = settings.batchWrite.fold(WriteName.ofBatchWrite(UUID.randomUUID().toString, 0)) { write =>
      WriteName.ofBatchWrite(write.id, write.version)
    }
    write(name, query, settings)
  }

  /** The same for a batch of the streaming query that runs in this thread. */
  def writeBatch(batchId: Long, query: QueryExecution, settings: WriteSettings): SendTotals = {
    val queryId = query.sparkSession.sparkContext.getLocalProperty(WriteName.QueryIdProperty)
    write(WriteName.ofQuery(queryId, batchId), query, settings)
  }

  private def write(name: WriteName, query: QueryExecution, settings: WriteSettings): SendTotals = {
    val columns = checkColumns(query.analyzed.schema, settings)
    val totals = query.toRdd
      .mapPartitions(rows => Iterator.single(writeTask(rows, settings, columns, name)))
      .collect()
      .foldLeft(SendTotals.Zero)(_ + _)
    logTotals(settings, totals)
    totals
  }

  private[eventhubs] def logTotals(settings: WriteSettings, totals: SendTotals): Unit = {
    val text = s"Wrote to ${settings.connection.hub}: $totals"
    if (totals.dropped > 0) logWarning(s"$text; ${totals.dropped} events were too large and left out")
    else logInfo(text)
  }

  private def writeTask(
      rows: Iterator[InternalRow],
      settings: WriteSettings,
      columns: EventHubsWriteColumns,
      name: WriteName
  ): SendTotals = {
    val task = newTask(settings, columns, name)
    try {
      task.writeAll(rows)
      task.commit()
    } finally task.close()
  }

  /** To be called in a task of Spark. */
  private[eventhubs] def newTask(
      settings: WriteSettings,
      columns: EventHubsWriteColumns,
      name: WriteName
  ): EventHubsWriteTask = {
    val context = TaskContext.get()
    val stamping = if (settings.stampEvents) new EventIdStamper(name.tag, context.partitionId()) else NoStamper
    new EventHubsWriteTask(
      settings,
      columns,
      ExecutorResources.get.producers,
      () => context.killTaskIfInterrupted(),
      stamping
    )
  }
}
