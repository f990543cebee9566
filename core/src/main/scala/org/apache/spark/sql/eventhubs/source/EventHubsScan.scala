package org.apache.spark.sql.eventhubs.source

import java.util.OptionalLong

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{
  ConnectionSettings,
  EventHubsOptions,
  OptionsParser,
  ReadMode,
  ReadOptions,
  ReadSettings
}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.connector.read.{
  Batch,
  Scan,
  ScanBuilder,
  Statistics,
  SupportsPushDownRequiredColumns,
  SupportsReportStatistics
}
import org.apache.spark.sql.eventhubs.{EventHubsReadMetrics, EventHubsSchema}
import org.apache.spark.sql.types.StructType

private[eventhubs] final class EventHubsScanBuilder(options: Map[String, String])
    extends ScanBuilder
    with SupportsPushDownRequiredColumns {

  private var columns = EventHubsSchema.of(EventHubsOptions.isOn(ReadOptions.IncludeEventHub, options))

  override def pruneColumns(requiredSchema: StructType): Unit = columns = requiredSchema

  override def build(): Scan = new EventHubsScan(options, columns)
}

/** A stream or a batch, depending on which method Spark calls. */
private[eventhubs] final class EventHubsScan(options: Map[String, String], columns: StructType)
    extends Scan
    with SupportsReportStatistics {

  private val hub = ConnectionSettings.toRead(OptionsParser.parse(options))._1.hub
  private lazy val asBatch = ReadSettings.parse(options, ReadMode.Batch)

  override def readSchema(): StructType = columns

  private var isStream = false

  override def description(): String = s"event hub $hub, columns ${columns.fieldNames.mkString(", ")}"

  override def supportedCustomMetrics(): Array[CustomMetric] = EventHubsReadMetrics.all

  override def toBatch: Batch = new EventHubsBatch(SparkSession.active.sparkContext, asBatch, columns.fieldNames.toSeq)

  override def estimateStatistics(): Statistics = {
    val bytes = if (isStream) None else RelationSize.estimate(asBatch, ExecutorResources.get)
    new Statistics {
      override def sizeInBytes(): OptionalLong = bytes.fold(OptionalLong.empty())(OptionalLong.of)
      override def numRows(): OptionalLong = OptionalLong.empty()
    }
  }

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
    isStream = true
    val settings = ReadSettings.parse(options, ReadMode.Stream)
    MicroBatchStreams(new EventHubsStreamSession(settings, SparkSession.active, checkpointLocation))
  }
}
