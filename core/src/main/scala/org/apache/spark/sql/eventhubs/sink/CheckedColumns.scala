package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.options.{ConnectionOptions, WriteDestination, WriteSettings}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.types.StructType

/**
 * The columns of the frames that one query writes. A streaming query has a frame for each batch, and is warned of
 * columns without an effect once. Thread-safe.
 *
 * @param settings checked by `EventHubsWriter.connect`
 */
private[eventhubs] final class CheckedColumns(val settings: WriteSettings) extends Logging {

  private var last = Option.empty[(StructType, EventHubsWriteColumns)]

  /**
   * @throws org.apache.spark.eventhubs.EventHubsException with the column that is missing or has a wrong type, or when
   *         neither the options nor a column name the hub
   */
  def of(schema: StructType): EventHubsWriteColumns = synchronized {
    last.collect { case (`schema`, columns) => columns }.getOrElse {
      val columns = CheckedColumns.bind(schema, settings)
      report(schema, columns)
      last = Some(schema -> columns)
      columns
    }
  }

  private def report(schema: StructType, columns: EventHubsWriteColumns): Unit = {
    val hub = settings.connection.hub
    if (columns.unused.exists(_.equalsIgnoreCase("eventHub")))
      logWarning(s"All rows go to $hub, which the options name; the column 'eventHub' is ignored")
    if (columns.unused.nonEmpty) logInfo(s"Columns that are not written to $hub: ${columns.unused.mkString(", ")}")
    val ignored = columns.partition.map(_.name) ++ columns.partitionKey.map(schema.fieldNames(_))
    if (settings.destination != WriteDestination.AnyPartition && ignored.nonEmpty)
      logWarning(
        s"The options send all rows to $hub to ${settings.destination}; ignored columns: ${ignored.mkString(", ")}"
      )
  }
}

private[sink] object CheckedColumns {

  /** Finds the columns without logging. It throws what [[CheckedColumns.of]] throws. */
  def bind(schema: StructType, settings: WriteSettings): EventHubsWriteColumns = {
    val columns = EventHubsWriteColumns.bind(schema, settings.hubByRow)
    if (settings.hubByRow && columns.eventHub.isEmpty) throw noHub
    columns
  }

  private def noHub = EventHubsErrors.missingOption(
    ConnectionOptions.Name.key,
    "Set it to the event hub's name, add ';EntityPath=<name>' to the connection string, or give the rows a column " +
      "'eventHub' with the name."
  )
}
