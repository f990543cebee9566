package org.apache.spark.sql.eventhubs

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{DeliveryGuarantee, ReadMode, ReadSettings}
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.eventhubs.exactlyonce.ExactlyOnce
import org.apache.spark.sql.eventhubs.sink.{CheckedColumns, EventHubsWriter}
import org.apache.spark.sql.eventhubs.source.{EventHubsRelation, EventHubsStreamSession}
import org.apache.spark.sql.execution.streaming.{Sink, Source}
import org.apache.spark.sql.internal.connector.SimpleTableProvider
import org.apache.spark.sql.sources.{
  BaseRelation,
  CreatableRelationProvider,
  DataSourceRegister,
  RelationProvider,
  StreamSinkProvider,
  StreamSourceProvider
}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, SQLContext, SaveMode}

/**
 * The format `eventhubs`. Streams use the V2 API, or V1 with `eventhubs.useV1Source` and `useV1Sink`; batches use a
 * relation. Options are parsed here, once, before anything runs.
 */
class EventHubsSourceProvider
    extends DataSourceRegister
    with StreamSourceProvider
    with StreamSinkProvider
    with RelationProvider
    with CreatableRelationProvider
    with SimpleTableProvider {

  override def shortName(): String = "eventhubs"

  /** Called by `load()`: invalid options fail there. */
  override def sourceSchema(
      sqlContext: SQLContext,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): (String, StructType) = {
    checkSession(parameters)
    // Only the query's start warns, because each query also passes here.
    val settings = ReadSettings.check(asWritten(parameters), ReadMode.Stream)
    (shortName(), EventHubsSchema.of(settings.includeEventHub))
  }

  override def createSource(
      sqlContext: SQLContext,
      metadataPath: String,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): Source = {
    val settings = ReadSettings.parse(asWritten(parameters), ReadMode.Stream)
    new EventHubsSource(sqlContext, new EventHubsStreamSession(settings, sqlContext.sparkSession, metadataPath))
  }

  override def createRelation(sqlContext: SQLContext, parameters: Map[String, String]): BaseRelation = {
    checkSession(parameters)
    new EventHubsRelation(sqlContext, ReadSettings.parse(asWritten(parameters), ReadMode.Batch), ExecutorResources.get)
  }

  /** Called by `start()`: invalid options and a hub that cannot be reached fail there. */
  override def createSink(
      sqlContext: SQLContext,
      parameters: Map[String, String],
      partitionColumns: Seq[String],
      outputMode: OutputMode
  ): Sink = {
    checkSession(parameters)
    val settings = EventHubsWriter.connect(asWritten(parameters))
    settings.guarantee match {
      case DeliveryGuarantee.ExactlyOnce =>
        new EventHubsSink(settings, ExactlyOnce.ofStream(sqlContext.sparkSession, parameters, settings))
      case DeliveryGuarantee.AtLeastOnce =>
        val checked = new CheckedColumns(settings)
        new EventHubsSink(settings, (batchId, query) => EventHubsWriter.writeBatch(batchId, query, checked))
    }
  }

  /** Writes the frame. The returned relation only has the frame's schema. */
  override def createRelation(
      sqlContext: SQLContext,
      mode: SaveMode,
      parameters: Map[String, String],
      data: DataFrame
  ): BaseRelation = {
    checkSession(parameters)
    EventHubsWriter.checkSaveMode(mode)
    val settings = EventHubsWriter.connect(asWritten(parameters), Some(data.schema))
    settings.guarantee match {
      case DeliveryGuarantee.ExactlyOnce =>
        ExactlyOnce.batch(sqlContext.sparkSession, parameters, settings, data.queryExecution)
      case DeliveryGuarantee.AtLeastOnce => EventHubsWriter.write(data.queryExecution, settings)
    }
    new WrittenRelation(sqlContext, data.schema)
  }

  override def getTable(options: CaseInsensitiveStringMap): Table = {
    checkSession(options.asCaseSensitiveMap.asScala.toMap)
    new EventHubsTable(options)
  }

  private def checkSession(options: Map[String, String]): Unit = {
    LateJar.check()
    SecretRedaction.check(options)
  }

  /** With the keys as the user wrote them, which errors name. Spark's map lists them in lower case. */
  private def asWritten(parameters: Map[String, String]): Map[String, String] = parameters match {
    case spark: CaseInsensitiveMap[String @unchecked] => spark.originalMap
    case plain => plain
  }
}

/** The result of a batch write; it cannot be scanned. */
private[eventhubs] final class WrittenRelation(
    override val sqlContext: SQLContext,
    override val schema: StructType
) extends BaseRelation
