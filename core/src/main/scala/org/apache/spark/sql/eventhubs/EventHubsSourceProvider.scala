package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.streaming.Source
import org.apache.spark.sql.internal.connector.SimpleTableProvider
import org.apache.spark.sql.sources.{BaseRelation, DataSourceRegister, RelationProvider, StreamSourceProvider}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The format `eventhubs`. Streams are read through V2, or V1 with `eventhubs.useV1Source`; batches through a relation.
 * Options are parsed here, once, before anything runs; below nobody sees a map.
 */
class EventHubsSourceProvider
    extends DataSourceRegister
    with StreamSourceProvider
    with RelationProvider
    with SimpleTableProvider {

  override def shortName(): String = "eventhubs"

  /** Called by `load()`, so wrong options fail there. */
  override def sourceSchema(
      sqlContext: SQLContext,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): (String, StructType) = {
    ReadSettings.parse(parameters, ReadMode.Stream)
    (shortName(), EventHubsSchema.schema)
  }

  override def createSource(
      sqlContext: SQLContext,
      metadataPath: String,
      schema: Option[StructType],
      providerName: String,
      parameters: Map[String, String]
  ): Source = {
    val settings = ReadSettings.parse(parameters, ReadMode.Stream)
    new EventHubsSource(sqlContext, new EventHubsStreamSession(settings, sqlContext.sparkSession, metadataPath))
  }

  override def createRelation(sqlContext: SQLContext, parameters: Map[String, String]): BaseRelation =
    new EventHubsRelation(sqlContext, ReadSettings.parse(parameters, ReadMode.Batch))

  override def getTable(options: CaseInsensitiveStringMap): Table = new EventHubsTable(options)
}
