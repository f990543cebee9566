package org.apache.spark.sql.eventhubs.planning

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

/** Optional fields of a checkpoint's file: `{"0":23,"1":45}` by partition id, or a list of ids. */
private[eventhubs] object PartitionNumbers {

  def put(node: ObjectNode, field: String, numbers: Map[Int, Long]): Unit = if (numbers.nonEmpty) {
    val values = node.putObject(field)
    numbers.toSeq.sortBy(_._1).foreach { case (id, number) => values.put(id.toString, number) }
  }

  def put(node: ObjectNode, field: String, ids: Set[Int]): Unit = if (ids.nonEmpty) {
    val values = node.putArray(field)
    ids.toSeq.sorted.foreach(id => values.add(id))
  }

  /** Empty where the field is missing; Left with what is wrong with it. */
  def map(node: JsonNode, field: String): Either[String, Map[Int, Long]] = Option(node.get(field)) match {
    case None => Right(Map.empty)
    case Some(values) =>
      val entries = values.properties.asScala.toSeq
      val parsed = entries.flatMap { entry =>
        entry.getKey.toIntOption.filter(_ => entry.getValue.canConvertToLong).map(_ -> entry.getValue.asLong)
      }
      Either.cond(
        values.isObject && parsed.length == entries.length,
        parsed.toMap,
        s"'$field' has no numbers by partition"
      )
  }

  def set(node: JsonNode, field: String): Either[String, Set[Int]] = Option(node.get(field)) match {
    case None => Right(Set.empty)
    case Some(values) =>
      val ids = values.elements.asScala.toSeq
      Either.cond(
        values.isArray && ids.forall(_.isInt),
        ids.map(_.asInt).toSet,
        s"'$field' is not a list of partitions"
      )
  }
}
