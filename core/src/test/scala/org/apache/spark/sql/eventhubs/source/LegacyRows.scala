package org.apache.spark.sql.eventhubs.source

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.eventhubs.Json
import org.apache.spark.sql.eventhubs.LegacyFiles

/** The rows of the real legacy connector for stored events with these AMQP bytes. */
object LegacyRows {

  final case class Row(
      offset: String,
      seqNo: Long,
      publisher: Option[String],
      partitionKey: Option[String],
      properties: Map[String, String],
      systemProperties: Map[String, String],
      bodyBase64: String
  )

  /** The stored messages of each partition, in order. */
  lazy val messages: Map[Int, Seq[Array[Byte]]] =
    read("golden_wire.json")
      .groupBy(_.get("partition").asText.toInt)
      .view
      .mapValues(_.sortBy(_.get("sequenceNumber").asLong).map(node => bytes(node.get("amqp_hex").asText)))
      .toMap

  /** The rows of partition 0, with our values where the legacy connector showed `{}`, or `null` as text. */
  lazy val expected: Seq[Row] = read("rows.json").map { node =>
    val seqNo = node.get("sequenceNumber").asLong
    Row(
      node.get("offset").asText,
      seqNo,
      text(node.get("publisher")),
      text(node.get("partitionKey")),
      map(node.get("properties")) ++ repairedProperties.getOrElse(seqNo, Map.empty),
      map(node.get("systemProperties")) ++ repairedSystemProperties.getOrElse(seqNo, Map.empty),
      node.get("body_base64").asText
    )
  }

  /** The legacy connector's rows as JSON of Spark's `to_json`, by sequence number. */
  lazy val sparkJson: Map[Long, String] =
    read("rows.json").map(node => node.get("sequenceNumber").asLong -> node.get("spark_to_json").asText).toMap

  /** Ignores the order of fields, which is hash order in maps. */
  def parsed(json: String): JsonNode = Json.mapper.readTree(json)

  private val uuid = "00112233-4455-6677-8899-aabbccddeeff"

  /** By sequence number; all other values are the legacy connector's. */
  private val repairedProperties =
    Map[Long, Map[String, String]](22L -> Map("u" -> uuid), 25L -> Map("n" -> null), 48L -> Map("uuid" -> uuid))
  private val repairedSystemProperties = Map(
    27L -> Map("message-id" -> "42"),
    28L -> Map("message-id" -> uuid),
    33L -> Map("correlation-id" -> uuid),
    41L -> Map("x-s" -> "sy"),
    42L -> Map("x-u" -> uuid),
    45L -> Map("x-ui" -> "9", "x-ul" -> "10"),
    47L -> Map("x-m" -> """{"k":"v"}""")
  )

  private def read(name: String): Seq[JsonNode] =
    Json.mapper.readTree(LegacyFiles.text(name)).elements.asScala.toSeq

  private def text(node: JsonNode): Option[String] = Option(node).filterNot(_.isNull).map(_.asText)

  private def map(node: JsonNode): Map[String, String] =
    node.properties.asScala.map(field => field.getKey -> field.getValue.asText).toMap

  private def bytes(hex: String): Array[Byte] = hex.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
}
