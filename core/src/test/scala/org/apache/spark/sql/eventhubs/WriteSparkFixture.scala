package org.apache.spark.sql.eventhubs

import java.nio.file.{Files, Path}
import java.util.{EnumSet, Set => JavaSet}

import scala.jdk.CollectionConverters._

import org.scalatest.{BeforeAndAfterAll, Suite}

import org.apache.spark.eventhubs.client.WriteHubFixture
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.sql.{SQLContext, SparkSession}
import org.apache.spark.sql.connector.catalog.{SupportsWrite, Table, TableCapability}
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.execution.streaming.Sink
import org.apache.spark.sql.internal.connector.SimpleTableProvider
import org.apache.spark.sql.sources.StreamSinkProvider
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A Spark session beside the local hub. */
trait WriteSparkFixture extends WriteHubFixture with BeforeAndAfterAll { this: Suite =>

  protected lazy val spark: SparkSession = SparkSession
    .builder()
    // Two attempts for each task.
    .master("local[2, 2]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "localhost")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()

  override protected def afterAll(): Unit = {
    spark.stop()
    super.afterAll()
  }

  protected def newFolder(): Path = Files.createTempDirectory("eventhubs-write")
}

/** Both streaming faces of the sink, without the source beside them: `face` is `v1` or `v2`. */
class WriteOnlyProvider extends SimpleTableProvider with StreamSinkProvider {

  override def getTable(options: CaseInsensitiveStringMap): Table = new Table with SupportsWrite {
    override def name(): String = "write-only"
    override def schema(): StructType = new StructType
    override def capabilities(): JavaSet[TableCapability] =
      if (options.get("face") == "v2") EnumSet.of(TableCapability.STREAMING_WRITE, TableCapability.ACCEPT_ANY_SCHEMA)
      else EnumSet.noneOf(classOf[TableCapability])
    override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
      new EventHubsWriteBuilder(settings(info.options.asCaseSensitiveMap.asScala.toMap), info)
  }

  override def createSink(
      sqlContext: SQLContext,
      parameters: Map[String, String],
      partitionColumns: Seq[String],
      outputMode: OutputMode
  ): Sink = new EventHubsSink(settings(parameters))

  private def settings(parameters: Map[String, String]) =
    WriteSettings.parse(parameters - "face" - "checkpointLocation")
}
