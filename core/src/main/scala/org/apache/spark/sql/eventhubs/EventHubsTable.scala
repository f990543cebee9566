package org.apache.spark.sql.eventhubs

import java.util.{EnumSet, Map => JavaMap, Set => JavaSet}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.eventhubs.options.{
  ConnectionSettings,
  EventHubsOption,
  EventHubsOptions,
  OptionsCheck,
  ReadMode,
  ReadOptions,
  ReadSettings,
  WriteOptions
}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsRead, SupportsWrite, Table, TableCapability}
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder}
import org.apache.spark.sql.connector.read.streaming.{MicroBatchStream, ReportsSinkMetrics}
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The V2 face. It offers streaming only: what it does not offer Spark does through V1, where batches read as a relation
 * with pruned columns and write in Spark's default save mode.
 */
private[eventhubs] final class EventHubsTable(options: CaseInsensitiveStringMap) extends Table
    with SupportsRead
    with SupportsWrite
    with ReportsSinkMetrics {

  private val writeProgress = new EventHubsWriteProgress

  /** Spark asks for a table once per query, and for a write builder with every batch. */
  private lazy val writeSettings = EventHubsWriter.connect(options.asCaseSensitiveMap.asScala.toMap)

  override def name(): String = "eventhubs"

  /** What `StreamingQueryProgress` calls this sink. Wrong options are reported where they are used. */
  override def toString: String =
    Try(ConnectionSettings.parse(OptionsCheck(options.asCaseSensitiveMap.asScala.toMap)).hub)
      .fold(_ => "EventHubs", hub => s"EventHubs[$hub]")

  override def schema(): StructType = EventHubsSchema.schema

  override def capabilities(): JavaSet[TableCapability] = {
    val offered = EnumSet.noneOf(classOf[TableCapability])
    if (!isOn(ReadOptions.UseV1Source))
      offered.add(TableCapability.MICRO_BATCH_READ)
    if (!isOn(WriteOptions.UseV1Sink))
      offered.addAll(
        JavaSet.of(TableCapability.STREAMING_WRITE, TableCapability.TRUNCATE, TableCapability.ACCEPT_ANY_SCHEMA)
      )
    offered
  }

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder = () =>
    new EventHubsScan(ReadSettings.parse(scanOptions.asCaseSensitiveMap.asScala.toMap, ReadMode.Stream))

  private def isOn(flag: EventHubsOption[Boolean]): Boolean =
    EventHubsOptions.isOn(flag, options.asCaseSensitiveMap.asScala.toMap)

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
    new EventHubsWriteBuilder(writeSettings, info, writeProgress)

  /** Of the sink, in the progress of a query that writes to it. */
  override def metrics(): JavaMap[String, String] = writeProgress.metrics
}

private[eventhubs] final class EventHubsScan(settings: ReadSettings) extends Scan {

  override def readSchema(): StructType = EventHubsSchema.schema

  override def description(): String = s"event hub ${settings.connection.hub}, consumer group ${settings.consumerGroup}"

  override def supportedCustomMetrics(): Array[CustomMetric] = EventHubsReadMetrics.all

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
    new EventHubsMicroBatchStream(
      new EventHubsStreamSession(settings, SparkSession.active, checkpointLocation)
    )
}
