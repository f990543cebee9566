package org.apache.spark.sql.eventhubs.exactlyonce

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.sql.eventhubs.planning.HubFields

/**
 * What is known about a batch before anything of it is sent.
 *
 * @param hubs  the hubs that it goes to, and their ends
 * @param query the streaming query that writes the batch, if any
 * @param run   a random name of the run that sends the batch. A later run that continues the batch puts its own here
 */
private[eventhubs] final case class WriteRecord(
    hubs: Seq[HubPositions],
    query: Option[String] = None,
    run: Option[String] = None
) {

  def of(hub: EventHubName): Option[HubPositions] =
    hubs.find(at => at.hub.key == hub.key && at.hub.namespace == hub.namespace)

  /** Names the hubs in texts. */
  def names: String = if (hubs.isEmpty) "no event hub" else hubs.map(_.hub).mkString(", ")

  def toJson: ObjectNode = {
    val node = HubFields.newNode(WriteRecord.Version)
    query.foreach(node.put("query", _))
    run.foreach(node.put("run", _))
    val each = node.putArray("hubs")
    hubs.sortBy(_.hub.key).foreach(hub => each.add(hub.toJson))
    node
  }
}

private[eventhubs] object WriteRecord {

  private val Version = 1

  /** The record, or what is wrong with it. */
  def fromJson(node: JsonNode): Either[String, WriteRecord] = for {
    version <- HubFields.version(node)
    _ <- Either.cond(version <= Version, (), s"its version is $version, and this connector reads up to $Version")
    entries <- Option(node.get("hubs")).filter(_.isArray).toRight("'hubs' is not a list")
    hubs <- all(entries.asScala.toSeq.map(HubPositions.fromJson))
  } yield WriteRecord(hubs, text(node, "query"), text(node, "run"))

  private def text(node: JsonNode, field: String): Option[String] = Option(node.get(field)).map(_.asText)

  private def all(hubs: Seq[Either[String, HubPositions]]): Either[String, Seq[HubPositions]] =
    hubs.collectFirst { case Left(problem) => problem }.toLeft(hubs.collect { case Right(hub) => hub })
}
