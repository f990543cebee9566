package benchmarks.worker

import benchmarks.harness.{Content, Request, Variant}
import benchmarks.server.KafkaListeners

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions._

/** Options and columns of a connector. Everything else is the same for both connectors. */
trait Format {
  def name: String

  /** Options to read from the beginning. */
  def readOptions(request: Request): Map[String, String]

  def writeOptions(request: Request): Map[String, String]

  /** Name of the option that limits the events of a micro-batch. */
  def eventsPerTriggerOption: String

  def body: Column

  /** Body, key, position and time of an event: the columns of the Parquet files. */
  def stored: Seq[Column]

  /** The columns of an event to write. */
  def toWrite(body: Column, id: Column, request: Request): Seq[Column]
}

/**
 * @param apiVersion `v1` or `v2`, for streams
 * @param variant    None for the defaults
 */
final class EventHubsFormat(apiVersion: Option[String], variant: Option[Variant]) extends Format {
  override def name: String = "eventhubs"

  override def readOptions(request: Request): Map[String, String] =
    connection(request) ++ EventHubsFormat.extraOptions ++
      Map("eventhubs.startingPosition" -> "earliest") ++ apiVersion.map(apiVersion =>
        "eventhubs.useV1Source" -> (apiVersion == "v1").toString
      ) ++ variantOptions

  override def writeOptions(request: Request): Map[String, String] =
    connection(request) ++ EventHubsFormat.extraOptions ++ apiVersion.map(apiVersion =>
      "eventhubs.useV1Sink" -> (apiVersion == "v1").toString
    ) ++ variantOptions

  private def variantOptions: Map[String, String] = variant.fold(Map.empty[String, String])(_.options)

  override def eventsPerTriggerOption: String = "eventhubs.maxEventsPerTrigger"
  override def body: Column = col("body")
  override def stored: Seq[Column] = Seq("body", "partitionKey", "partition", "sequenceNumber", "enqueuedTime").map(col)

  override def toWrite(body: Column, id: Column, request: Request): Seq[Column] =
    if (request.workload.content == Content.Bare) Seq(body.as("body"))
    else Seq(body.as("body"), key(id).as("partitionKey"), properties.as("properties"))

  private def key(id: Column): Column = concat(lit("device-"), id % 1000)
  private def properties: Column =
    map(lit("site"), lit("north-17"), lit("unit"), lit("celsius"), lit("schema"), lit("4"))

  private def connection(request: Request): Map[String, String] =
    Map("eventhubs.connectionString" -> s"${request.server};EntityPath=${request.hub}")
}

private object EventHubsFormat {

  /** Additional options from BENCH_OPTIONS, such as `eventhubs.prefetchCount=500,eventhubs.connections=2`. */
  lazy val extraOptions: Map[String, String] =
    sys.env.get("BENCH_OPTIONS").filter(_.nonEmpty).toSeq.flatMap(_.split(',')).map { setting =>
      setting.split("=", 2) match {
        case Array(key, value) => key -> value
        case _ => throw new IllegalArgumentException(s"'$setting' in BENCH_OPTIONS is not key=value")
      }
    }.toMap
}

object KafkaFormat extends Format {
  override def name: String = "kafka"

  override def readOptions(request: Request): Map[String, String] = broker(request) ++
    Map("subscribe" -> request.hub, "startingOffsets" -> "earliest") ++
    (if (request.workload.content == Content.Bare) Map.empty else Map("includeHeaders" -> "true"))

  override def writeOptions(request: Request): Map[String, String] = broker(request) + ("topic" -> request.hub)

  override def eventsPerTriggerOption: String = "maxOffsetsPerTrigger"
  override def body: Column = col("value")
  override def stored: Seq[Column] = Seq("value", "key", "partition", "offset", "timestamp").map(col)

  override def toWrite(body: Column, id: Column, request: Request): Seq[Column] =
    if (request.workload.content == Content.Bare) Seq(body.as("value"))
    else Seq(body.as("value"), concat(lit("device-"), id % 1000).as("key"), headers.as("headers"))

  private def headers: Column = {
    def header(name: String, value: String): Column =
      struct(lit(name).as("key"), lit(value).cast("binary").as("value"))
    array(header("site", "north-17"), header("unit", "celsius"), header("schema", "4"))
  }

  private def broker(request: Request): Map[String, String] = KafkaListeners.clientOptions(request.server)
}
