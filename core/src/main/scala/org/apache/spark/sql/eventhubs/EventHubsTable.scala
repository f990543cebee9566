package org.apache.spark.sql.eventhubs

import java.util.{EnumSet, Set => JavaSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.options.{ReadMode, ReadOptions, ReadSettings}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * The V2 face. It offers streaming only: what it does not offer Spark does through V1, where batches read as a relation
 * with pruned columns and write in Spark's default save mode.
 */
private[eventhubs] final class EventHubsTable(options: CaseInsensitiveStringMap) extends Table with SupportsRead {

  override def name(): String = "eventhubs"

  override def schema(): StructType = EventHubsSchema.schema

  override def capabilities(): JavaSet[TableCapability] = {
    val offered = EnumSet.noneOf(classOf[TableCapability])
    if (!ReadOptions.usesV1Source(options.asCaseSensitiveMap.asScala.toMap))
      offered.add(TableCapability.MICRO_BATCH_READ)
    offered
  }

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder = () =>
    new EventHubsScan(ReadSettings.parse(scanOptions.asCaseSensitiveMap.asScala.toMap, ReadMode.Stream))
}

private[eventhubs] final class EventHubsScan(settings: ReadSettings) extends Scan {

  override def readSchema(): StructType = EventHubsSchema.schema

  override def description(): String = s"event hub ${settings.connection.hub}, consumer group ${settings.consumerGroup}"

  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
    new EventHubsMicroBatchStream(
      new EventHubsStreamSession(settings, SparkSession.active, checkpointLocation)
    )
}
