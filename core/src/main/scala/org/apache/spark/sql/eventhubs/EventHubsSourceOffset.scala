package org.apache.spark.sql.eventhubs

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.{EventHubsErrors, Json}
import org.apache.spark.sql.connector.read.streaming.{Offset => OffsetV2}
import org.apache.spark.sql.execution.streaming.Offset

/**
 * The progress of a query: hub -> partition id -> sequence number of the next event to read. Its JSON is the legacy
 * connector's, `{"hub":{"0":23,"1":45}}`, sorted.
 */
final case class EventHubsSourceOffset(sequenceNumbers: Map[String, Map[Int, Long]]) extends Offset {

  override val json: String = {
    val root = Json.mapper.createObjectNode()
    sequenceNumbers.toSeq.sortBy(_._1).foreach { case (hub, partitions) =>
      val node = root.putObject(hub)
      partitions.toSeq.sortBy(_._1).foreach { case (id, seqNo) => node.put(id.toString, seqNo) }
    }
    root.toString
  }

  /** The sequence numbers of one hub; empty when the offset does not have it. Ignores the case, as the service does. */
  def of(hub: String): Map[Int, Long] =
    sequenceNumbers.collectFirst { case (name, partitions) if name.equalsIgnoreCase(hub) => partitions }
      .getOrElse(Map.empty)

  /** The part of one hub, under its name in this offset. */
  def only(hub: String): EventHubsSourceOffset = EventHubsSourceOffset(sequenceNumbers.filter(isOf(hub)))

  /** Replaces the positions of the hubs of `parts`. */
  def updated(parts: Seq[EventHubsSourceOffset]): EventHubsSourceOffset =
    parts.foldLeft(this) { case (all, part) =>
      val kept = part.sequenceNumbers.keys.foldLeft(all.sequenceNumbers)((rest, hub) => rest.filterNot(isOf(hub)))
      EventHubsSourceOffset(kept ++ part.sequenceNumbers)
    }

  private def isOf(hub: String)(entry: (String, Map[Int, Long])): Boolean = entry._1.equalsIgnoreCase(hub)
}

object EventHubsSourceOffset {

  /** An offset without hubs. */
  val Empty: EventHubsSourceOffset = EventHubsSourceOffset(Map.empty[String, Map[Int, Long]])

  def apply(hub: String, sequenceNumbers: Map[Int, Long]): EventHubsSourceOffset =
    EventHubsSourceOffset(Map(hub -> sequenceNumbers))

  /** Spark returns offsets in its own serialized class, which moved between versions; only its JSON is used. */
  def from(offset: OffsetV2): EventHubsSourceOffset = offset match {
    case own: EventHubsSourceOffset => own
    case serialized => parse(serialized.json)
  }

  /** @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_MALFORMED_OFFSET */
  def parse(json: String): EventHubsSourceOffset =
    try {
      val hubs = Json.mapper.readTree(json).properties.asScala.map { hub =>
        require(hub.getValue.isObject, s"${hub.getKey} has no partitions")
        hub.getKey -> hub.getValue.properties.asScala.map { partition =>
          val isSequenceNumber = partition.getValue.isIntegralNumber && partition.getValue.canConvertToLong
          require(isSequenceNumber, s"${partition.getValue} is not a sequence number")
          partition.getKey.toInt -> partition.getValue.asLong
        }.toMap
      }
      val parsed = EventHubsSourceOffset(hubs.toMap)
      require(parsed.sequenceNumbers.values.exists(_.nonEmpty), "no partition in it")
      parsed
    } catch {
      case NonFatal(cause) => throw EventHubsErrors.malformedOffset(json, cause)
    }
}
