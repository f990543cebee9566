package org.apache.spark.sql.eventhubs.exactlyonce

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.eventhubs.service.{HubRules, HubSnapshot, Known}
import org.apache.spark.eventhubs.{EventHubName, Json, NameAndPartition}
import org.apache.spark.sql.eventhubs.planning.{HubFields, PartitionNumbers}

/**
 * The ends of a hub's partitions at one moment.
 *
 * @param next   for each partition, the sequence number of its next event
 * @param epochs of the last events, in a geo-replicated hub
 */
private[eventhubs] final case class HubPositions(
    hub: EventHubName,
    generation: HubGeneration.CreatedAt,
    next: Map[Int, Long],
    epochs: Map[Int, Int] = Map.empty
) {

  /** The events from here to `later`; all events of a partition that was added in between. */
  def until(later: HubPositions): Seq[OffsetRange] =
    later.next.toSeq.sortBy(_._1).collect {
      case (partition, end) if end > next.getOrElse(partition, 0L) =>
        OffsetRange(NameAndPartition(hub.name, partition), next.getOrElse(partition, 0L), end)
    }

  /** How `later` shows that a secondary region was promoted since. It gives sequence numbers again. */
  def promotionUntil(later: HubPositions): Option[String] = promotedUntil(later).headOption.map { id =>
    s"a secondary region was promoted: partition $id had epoch ${epochs(id)} and has epoch ${later.epochs(id)}"
  }.orElse(fewerEventsIn(later))

  /** The partitions with a later epoch. */
  def promotedUntil(later: HubPositions): Seq[Int] =
    epochs.keys.toSeq.sorted.filter(id => HubRules.promotion(epochs.get(id), later.epochs.get(id)).isDefined)

  /**
   * Whether all events that a partition got between here and `later` have numbers from here on. A promoted region gives
   * the numbers of events that it lacks again, in a later epoch. So it lacks none before these positions if the event
   * before them still has the epoch that it had.
   *
   * @param epochAt of the first event at or after a number of the partition, if there is one
   */
  def holdsIn(partition: Int, later: HubPositions)(epochAt: Long => Option[Int]): Boolean = {
    val (from, end) = (next.getOrElse(partition, 0L), later.next.getOrElse(partition, 0L))
    // The epochs of events and of answers may be of different kinds.
    def isComparable = epochAt(end - 1) == later.epochs.get(partition)
    from == 0 || from <= end && isComparable && epochAt(from - 1) == epochs.get(partition)
  }

  /** The hub that ranges from here refer to. */
  def planned: HubGeneration = HubGeneration.of(generation, epochs)

  /**
   * What an answer must have about the partitions of this hub, if it is geo-replicated: it may not know a promotion.
   * Elsewhere a read-back finds the ends, however early the answered ones are.
   */
  def knownIn(found: HubSnapshot): Map[Int, Known] =
    if (found.generation != generation) Map.empty
    else
      epochs.collect {
        case (partition, epoch) if found.bounds.get(partition).exists(_.epoch.isDefined) =>
          partition -> Known(next.getOrElse(partition, 0L), Some(epoch), isEpochAnswered = true)
      }

  /**
   * How ends that were received from the hub show a promotion that the service's answers do not: the events of a region
   * never get fewer.
   */
  def fewerEventsIn(later: HubPositions): Option[String] =
    later.next.toSeq.sorted.collectFirst {
      case (partition, end) if epochs.contains(partition) && isBeyond(partition, end) =>
        s"a secondary region was promoted: partition $partition ended at sequence number ${next(partition)}, and ends " +
          s"at $end"
    }

  private def isBeyond(partition: Int, end: Long): Boolean = next.get(partition).exists(_ > end)

  def toJson: ObjectNode = {
    val node = HubFields.put(Json.mapper.createObjectNode(), hub, generation)
    val partitions = node.putObject("next")
    next.toSeq.sortBy(_._1).foreach { case (partition, seqNo) => partitions.put(partition.toString, seqNo) }
    PartitionNumbers.put(node, "epochs", epochs.map { case (partition, epoch) => partition -> epoch.toLong })
    node
  }
}

private[eventhubs] object HubPositions {

  def of(hub: EventHubName, snapshot: HubSnapshot): HubPositions =
    HubPositions(
      hub,
      snapshot.generation,
      snapshot.bounds.map { case (partition, bounds) => partition -> bounds.latest },
      snapshot.epochs
    )

  /** The positions, or what is wrong with them. */
  def fromJson(node: JsonNode): Either[String, HubPositions] = for {
    known <- HubFields.hub(node)
    entries <- Option(node.get("next")).toRight("'next' is missing")
    next <- Try(partitions(entries)).toOption.toRight("'next' does not map partition ids to sequence numbers")
    epochs <- PartitionNumbers.map(node, "epochs")
  } yield HubPositions(known._1, known._2, next, epochs.map { case (partition, epoch) => partition -> epoch.toInt })

  private def partitions(entries: JsonNode): Map[Int, Long] = {
    require(entries.isObject)
    entries.properties.asScala.map { entry =>
      require(entry.getValue.isIntegralNumber && entry.getValue.canConvertToLong)
      entry.getKey.toInt -> entry.getValue.asLong
    }.toMap
  }
}
