package org.apache.spark.eventhubs

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

/**
 * A position for each of some partitions, as `eventhubs.startingPositions` holds them. A key is a partition id
 * (`{"0":123,"1":"latest"}`), or, as in the legacy, the JSON text of a [[NameAndPartition]].
 */
private[spark] final case class PartitionPositions(entries: Seq[PartitionPositions.Entry]) {

  /** @return by partition id, or what was expected when an entry is for another hub or a partition stands twice */
  def of(hub: String): Either[String, Map[Int, EventPosition]] = {
    val byPartition = entries.map(entry => entry.partitionId -> entry.position).toMap
    entries.flatMap(_.ehName).find(name => !name.equalsIgnoreCase(hub)) match {
      case Some(other) => Left(s"partitions of the event hub '$hub', which is read, and none of '$other'")
      case None if byPartition.size < entries.size => Left("every partition once")
      case None => Right(byPartition)
    }
  }

  /** @param hub whose partitions those are that stand without a name */
  def byName(hub: String): Map[NameAndPartition, EventPosition] =
    entries.map(entry => NameAndPartition(entry.ehName.getOrElse(hub), entry.partitionId) -> entry.position).toMap

  def render: String = {
    val node = Json.mapper.createObjectNode
    entries.foreach { entry =>
      val key = entry.ehName.fold(entry.partitionId.toString)(NameAndPartition(_, entry.partitionId).toString)
      node.set[JsonNode](key, Json.mapper.readTree(PositionJson.render(entry.position)))
    }
    node.toString
  }
}

private[spark] object PartitionPositions {

  /** @param ehName None when the key is a partition id alone */
  final case class Entry(ehName: Option[String], partitionId: Int, position: EventPosition)

  val Expected: String = "JSON that gives partitions their positions, such as {\"0\":123,\"1\":\"latest\"}"

  def apply(positions: Map[NameAndPartition, EventPosition]): PartitionPositions =
    PartitionPositions(positions.toSeq.sortBy { case (partition, _) => (partition.ehName, partition.partitionId) }.map {
      case (partition, position) => Entry(Some(partition.ehName), partition.partitionId, position)
    })

  def parse(text: String): Either[String, PartitionPositions] =
    Json.read(text).left.map(problem => s"$Expected; $problem").flatMap { node =>
      if (!node.isObject || node.isEmpty) Left(Expected)
      else
        node.properties.asScala.toSeq
          .map(field => entry(field.getKey, field.getValue))
          .foldLeft[Either[String, Seq[Entry]]](Right(Nil)) { (parsed, next) =>
            parsed.flatMap(entries => next.map(entries :+ _))
          }
          .map(PartitionPositions(_))
    }

  private def entry(key: String, value: JsonNode): Either[String, Entry] =
    for {
      partition <- partitionKey(key).toRight(s"$Expected; '$key' is not a partition id from 0")
      (ehName, id) = partition
      position <- PositionJson.fromNode(value).left.map(expected => s"for partition $id $expected")
    } yield Entry(ehName, id, position)

  private def partitionKey(key: String): Option[(Option[String], Int)] =
    partitionId(key).map(None -> _).orElse {
      Json.read(key).toOption.filter(_.isObject).flatMap { node =>
        for {
          name <- Option(node.get("ehName")).map(_.asText)
          id <- Option(node.get("partitionId")).map(_.asText).flatMap(partitionId)
        } yield Some(name) -> id
      }
    }

  private def partitionId(text: String): Option[Int] = text.trim.toIntOption.filter(_ >= 0)
}
