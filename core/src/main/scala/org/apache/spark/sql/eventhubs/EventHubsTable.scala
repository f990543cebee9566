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
  WriteOptions
}
import org.apache.spark.sql.connector.catalog.{SupportsRead, SupportsWrite, Table, TableCapability, TableCatalog}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.read.streaming.ReportsSinkMetrics
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.eventhubs.sink.{
  CheckedColumns,
  EventHubsWriteBuilder,
  EventHubsWriteProgress,
  EventHubsWriter
}
import org.apache.spark.sql.eventhubs.source.EventHubsScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The connector's table in the V2 API. Outside a catalog it offers streaming only. For everything else Spark falls back
 * to V1, where a batch reads a relation with pruned columns and writes in Spark's default save mode.
 */
private[eventhubs] final class EventHubsTable(options: CaseInsensitiveStringMap) extends Table
    with SupportsRead
    with SupportsWrite
    with ReportsSinkMetrics {

  private val writeProgress = new EventHubsWriteProgress

  /** Spark creates one table for a query, and a write builder for every batch. */
  private var connected = Option.empty[(Map[String, String], CheckedColumns)]

  override def name(): String = "eventhubs"

  /** The name of this sink in `StreamingQueryProgress`. Invalid options are reported where they are used. */
  override def toString: String =
    Try(ConnectionSettings.toRead(OptionsParser.parse(own))._1.hub)
      .fold(_ => "EventHubs", hub => s"EventHubs[$hub]")

  override def schema(): StructType = EventHubsSchema.of(isOn(ReadOptions.IncludeEventHub))

  override def capabilities(): JavaSet[TableCapability] = {
    val offered = EnumSet.noneOf(classOf[TableCapability])
    if (!isOn(ReadOptions.UseV1Source))
      offered.add(TableCapability.MICRO_BATCH_READ)
    // For a table in a catalog Spark has no V1 fallback.
    if (isInCatalog) offered.add(TableCapability.BATCH_READ)
    if (isInCatalog || optionForV1Sink(own).isEmpty)
      offered.addAll(
        JavaSet.of(TableCapability.STREAMING_WRITE, TableCapability.TRUNCATE, TableCapability.ACCEPT_ANY_SCHEMA)
      )
    offered
  }

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder =
    new EventHubsScanBuilder(withQueryOptions(scanOptions))

  /**
   * The option that needs the V1 API, if there is one. Exactly once needs the frame, which Spark passes only to V1
   * sinks.
   */
  private def optionForV1Sink(options: Map[String, String]): Option[String] = Seq(
    WriteOptions.Guarantee.key ->
      EventHubsOptions.isSetTo(WriteOptions.Guarantee, DeliveryGuarantee.ExactlyOnce, options),
    WriteOptions.UseV1Sink.key -> EventHubsOptions.isOn(WriteOptions.UseV1Sink, options)
  ).collectFirst { case (key, true) => key }

  private def isOn(flag: EventHubsOption[Boolean]): Boolean =
    EventHubsOptions.isOn(flag, own)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new EventHubsWriteBuilder(toWrite(withQueryOptions(info.options), info.schema), info, writeProgress)

  private def toWrite(options: Map[String, String], schema: StructType): CheckedColumns = synchronized {
    connected.collect { case (`options`, checked) => checked }.getOrElse {
      optionForV1Sink(options).foreach(key => throw EventHubsErrors.notForTables(key))
      val checked = new CheckedColumns(EventHubsWriter.connect(options, Some(schema)))
      connected = Some((options, checked))
      checked
    }
  }

  /** The sink's metrics in the progress of a query. */
  override def metrics(): JavaMap[String, String] = writeProgress.metrics

  private def own: Map[String, String] = options.asCaseSensitiveMap.asScala.toMap

  /** The table's own options with those of a query, which win. A table in a catalog has options from its creation. */
  private def withQueryOptions(query: CaseInsensitiveStringMap): Map[String, String] =
    own.filterNot { case (key, _) => query.containsKey(key) || isSet(key, query) } ++ query.asCaseSensitiveMap.asScala

  /** By any of its names. */
  private def isSet(key: String, query: CaseInsensitiveStringMap): Boolean =
    EventHubsOptions.find(key).exists(option => (option.key +: option.aliases).exists(query.containsKey(_)))

  /** Spark repeats the options of the table's creation under this prefix. */
  private def isInCatalog: Boolean = own.keys.exists(_.startsWith(TableCatalog.OPTION_PREFIX))
}
