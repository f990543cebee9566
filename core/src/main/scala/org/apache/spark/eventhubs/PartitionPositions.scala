package org.apache.spark.eventhubs

import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

/**
 * The value of `eventhubs.startingPositions`: positions of single partitions. A key is a partition id
 * (`{"0":123,"1":"latest"}`) or, as in the legacy connector, the JSON text of a [[NameAndPartition]].
 */
private[spark] final case class PartitionPositions(entries: Seq[PartitionPositions.Entry]) {

  /** @return positions by partition id; Left with the expected value if a hub is wrong or a partition occurs twice */
  def forHub(hub: String): Either[String, Map[Int, EventPosition]] = {
    val byPartition = entries.map(entry => entry.partitionId -> entry.position).toMap
    entries.flatMap(_.ehName).find(name => !name.equalsIgnoreCase(hub)) match {
      case Some(other) => Left(s"partitions of the event hub '$hub', not of '$other'")
      case None if byPartition.size < entries.size => Left("each partition once")
      case None => Right(byPartition)
    }
  }

  /**
   * Checks that each entry names one of the hubs, and that no partition is named twice. Left has the expected value.
   */
  def forHubs(includes: String => Boolean): Either[String, PartitionPositions] = {
    val names = entries.flatMap(_.ehName)
    val partitions = entries.map(entry => (entry.ehName.map(_.toLowerCase(Locale.ROOT)), entry.partitionId))
    if (names.size < entries.size)
      Left(
        "keys that name hub and partition, such as {\"ehName\":\"orders\",\"partitionId\":0}, for several event hubs"
      )
    else names.find(!includes(_)) match {
      case Some(other) => Left(s"partitions of the query's event hubs, not of '$other'")
      case None if partitions.distinct.size < partitions.size => Left("each partition once")
      case None => Right(this)
    }
  }

  /** Positions of the partitions of one of several hubs, by partition id. */
  def of(hub: String): Map[Int, EventPosition] =
    entries.collect {
      case entry if entry.ehName.exists(_.equalsIgnoreCase(hub)) => entry.partitionId -> entry.position
    }
      .toMap

  /** @param hub event hub of the entries that have no name */
  def byNameAndPartition(hub: String): Map[NameAndPartition, EventPosition] =
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

  val Expected: String = "JSON with a position for each partition, such as {\"0\":123,\"1\":\"latest\"}"

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
      partition <- partitionKey(key).toRight(s"$Expected; '$key' is not a partition id (0 or more)")
      (ehName, id) = partition
      position <- PositionJson.fromNode(value).left.map(expected => s"for partition $id: $expected")
    } yield Entry(ehName, id, position)

  private def partitionKey(key: String): Option[(Option[String], Int)] =
    NameAndPartition.partitionId(key).map(None -> _)
      .orElse(NameAndPartition.parse(key).map(named => Some(named.ehName) -> named.partitionId))
}
