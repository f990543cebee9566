package org.apache.spark.sql.eventhubs.planning

import java.time.Instant

import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{EventHubName, Json}

/** Reads and writes what the connector's files have in common: their version, a hub and the hub's generation. */
private[eventhubs] object HubFields {

  def newNode(version: Int): ObjectNode = Json.mapper.createObjectNode().put("version", version)

  def put(node: ObjectNode, hub: EventHubName, generation: HubGeneration.CreatedAt): ObjectNode =
    node.put("namespace", hub.namespace).put("hub", hub.name).put("createdAt", generation.time.toString)

  /** The version of a file, or what is wrong with it. */
  def version(node: JsonNode): Either[String, Int] =
    text(node, "version").flatMap(_.toIntOption.toRight("'version' is not a number"))

  /** The hub and its generation, or what is wrong with them. */
  def hub(node: JsonNode): Either[String, (EventHubName, HubGeneration.CreatedAt)] = for {
    namespace <- text(node, "namespace")
    name <- text(node, "hub")
    created <- text(node, "createdAt")
    time <- Try(Instant.parse(created)).toOption.toRight("'createdAt' is not a time")
  } yield (EventHubName(namespace, name), HubGeneration.CreatedAt(time))

  private def text(node: JsonNode, field: String): Either[String, String] =
    Option(node.get(field)).map(_.asText).toRight(s"'$field' is missing")
}
