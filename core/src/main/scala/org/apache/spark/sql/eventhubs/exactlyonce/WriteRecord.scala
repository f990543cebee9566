package org.apache.spark.sql.eventhubs.exactlyonce

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.eventhubs.{EventHubName, Json}
import org.apache.spark.sql.eventhubs.planning.HubFields

/**
 * What is known about a batch before anything of it is sent: the hubs that it goes to, and their ends. A record of one
 * hub is the hub's [[HubPositions]], as versions before hubs by row wrote it.
 *
 * @param query the streaming query that finished a batch write of `foreachBatch`
 */
private[eventhubs] final case class WriteRecord(hubs: Seq[HubPositions], query: Option[String] = None) {

  def of(hub: EventHubName): Option[HubPositions] =
    hubs.find(at => at.hub.key == hub.key && at.hub.namespace == hub.namespace)

  /** As texts name them. */
  def names: String = if (hubs.isEmpty) "no event hub" else hubs.map(_.hub).mkString(", ")

  def toJson: ObjectNode = {
    val node = if (hubs.length == 1) hubs.head.toJson else ofHubs
    query.foreach(node.put("query", _))
    node
  }

  private def ofHubs: ObjectNode = {
    val node = Json.mapper.createObjectNode().put("version", WriteRecord.Version)
    val each = node.putArray("hubs")
    hubs.sortBy(_.hub.key).foreach(hub => each.add(hub.toJson))
    node
  }
}

private[eventhubs] object WriteRecord {

  /** Of a record of several hubs, or of none. */
  private val Version = 2

  /** The record, or what is wrong with it. */
  def fromJson(node: JsonNode): Either[String, WriteRecord] =
    hubsOf(node).map(WriteRecord(_, Option(node.get("query")).map(_.asText)))

  private def hubsOf(node: JsonNode): Either[String, Seq[HubPositions]] = HubFields.version(node).flatMap {
    case Version =>
      for {
        entries <- Option(node.get("hubs")).filter(_.isArray).toRight("'hubs' is not a list")
        hubs <- all(entries.asScala.toSeq.map(HubPositions.fromJson))
      } yield hubs
    case version if version > Version => Left(s"its version is $version, and this connector reads up to $Version")
    case _ => HubPositions.fromJson(node).map(Seq(_))
  }

  private def all(hubs: Seq[Either[String, HubPositions]]): Either[String, Seq[HubPositions]] =
    hubs.collectFirst { case Left(problem) => problem }.toLeft(hubs.collect { case Right(hub) => hub })
}
