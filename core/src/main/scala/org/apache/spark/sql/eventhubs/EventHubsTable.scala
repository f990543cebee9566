package org.apache.spark.sql.eventhubs

import java.util.{EnumSet, Map => JavaMap, Set => JavaSet}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.options.{
  ConnectionSettings,
  DeliveryGuarantee,
  EventHubsOption,
  EventHubsOptions,
  OptionsParser,
  ReadOptions,
  WriteOptions,
  WriteSettings
}
import org.apache.spark.sql.connector.catalog.{SupportsRead, SupportsWrite, Table, TableCapability, TableCatalog}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.eventhubs.metrics.EventHubsWriteProgress
import org.apache.spark.sql.eventhubs.sink.{EventHubsWriteBuilder, EventHubsWriter}
import org.apache.spark.sql.eventhubs.source.EventHubsScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The V2 face. Outside of catalogs it offers streaming only: what it does not offer Spark does through V1, where batches
 * read as a relation with pruned columns and write in Spark's default save mode.
 */
private[eventhubs] final class EventHubsTable(options: CaseInsensitiveStringMap) extends Table
    with SupportsRead
    with SupportsWrite
    with ReportsSinkMetrics {

  private val writeProgress = new EventHubsWriteProgress

  /** Spark asks for a table once per query, and for a write builder with every batch. */
  private var connected = Option.empty[(Map[String, String], WriteSettings)]

  override def name(): String = "eventhubs"

  /** What `StreamingQueryProgress` calls this sink. Wrong options are reported where they are used. */
  override def toString: String =
    Try(ConnectionSettings.parse(OptionsParser.parse(own)).hub)
      .fold(_ => "EventHubs", hub => s"EventHubs[$hub]")

  override def schema(): StructType = EventHubsSchema.schema

  override def capabilities(): JavaSet[TableCapability] = {
    val offered = EnumSet.noneOf(classOf[TableCapability])
    if (!isOn(ReadOptions.UseV1Source))
      offered.add(TableCapability.MICRO_BATCH_READ)
    // A table of a catalog has no V1 face for batches that Spark would turn to.
    if (isOfCatalog) offered.add(TableCapability.BATCH_READ)
    if (isOfCatalog || v1SinkFor(own).isEmpty)
      offered.addAll(
        JavaSet.of(TableCapability.STREAMING_WRITE, TableCapability.TRUNCATE, TableCapability.ACCEPT_ANY_SCHEMA)
      )
    offered
  }

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder =
    new EventHubsScanBuilder(over(scanOptions))

  /** The option that needs the V1 face, if one does: exactly once needs the frame, which only that face is given. */
  private def v1SinkFor(options: Map[String, String]): Option[String] = Seq(
    WriteOptions.Guarantee.key ->
      EventHubsOptions.isSetTo(WriteOptions.Guarantee, DeliveryGuarantee.ExactlyOnce, options),
    WriteOptions.UseV1Sink.key -> EventHubsOptions.isOn(WriteOptions.UseV1Sink, options)
  ).collectFirst { case (key, true) => key }

  private def isOn(flag: EventHubsOption[Boolean]): Boolean =
    EventHubsOptions.isOn(flag, own)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new EventHubsWriteBuilder(writeSettings(over(info.options)), info, writeProgress)

  private def writeSettings(options: Map[String, String]): WriteSettings = synchronized {
    connected.collect { case (`options`, settings) => settings }.getOrElse {
      v1SinkFor(options).foreach(key => throw EventHubsErrors.notForTables(key))
      val settings = EventHubsWriter.connect(options)
      connected = Some((options, settings))
      settings
    }
  }

  /** Of the sink, in the progress of a query that writes to it. */
  override def metrics(): JavaMap[String, String] = writeProgress.metrics

  private def own: Map[String, String] = options.asCaseSensitiveMap.asScala.toMap

  /** A table of a catalog has its options from its creation; those of a query, also of a writing one, are beside them and win. */
  private def over(asked: CaseInsensitiveStringMap): Map[String, String] = {
    val query = asked.asCaseSensitiveMap.asScala.toMap
    own.filterNot { case (key, _) => asked.containsKey(key) } ++ query
  }

  /** Spark repeats the options that a table was created with under this prefix. */
  private def isOfCatalog: Boolean = own.keys.exists(_.startsWith(TableCatalog.OPTION_PREFIX))
}
