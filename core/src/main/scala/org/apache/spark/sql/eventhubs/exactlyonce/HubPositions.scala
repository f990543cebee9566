package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.Json
import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.sql.eventhubs.planning.HubSnapshot

import java.time.Instant

import scala.jdk.CollectionConverters._
import scala.util.Try


/**
 * Where a hub's partitions ended at one moment.
 *
 * @param createdAt tells the hub from another one of its name
 * @param next      per partition, the sequence number that the next event will have
 */
private[eventhubs] final case class HubPositions(hub: EventHubName, createdAt: Instant, next: Map[Int, Long]) {

  /** What has arrived since; a partition that was added later has all its events after. */
  def until(later: HubPositions): Seq[OffsetRange] =
    later.next.toSeq.sortBy(_._1).collect {
      case (partition, end) if end > next.getOrElse(partition, 0L) =>
        OffsetRange(NameAndPartition(hub.name, partition), next.getOrElse(partition, 0L), end)
    }

  def json: String = {
    val node = Json.mapper.createObjectNode()
    node.put("namespace", hub.namespace).put("hub", hub.name).put("createdAt", createdAt.toString)
    val partitions = node.putObject("next")
    next.toSeq.sortBy(_._1).foreach { case (partition, seqNo) => partitions.put(partition.toString, seqNo) }
    node.toString
  }
}

private[eventhubs] object HubPositions {

  def of(hub: EventHubName, snapshot: HubSnapshot): HubPositions =
    HubPositions(
      hub,
      snapshot.createdAt,
      snapshot.bounds.map { case (partition, bounds) => partition -> bounds.latest }
    )

  /** None when the text is not what [[HubPositions.json]] writes. */
  def parse(text: String): Option[HubPositions] = for {
    node <- Json.read(text).toOption
    namespace <- Option(node.get("namespace"))
    hub <- Option(node.get("hub"))
    createdAt <- Option(node.get("createdAt")).flatMap(text => Try(Instant.parse(text.asText)).toOption)
    next <- Option(node.get("next"))
    positions <- Try(next.properties.asScala.map(entry => entry.getKey.toInt -> entry.getValue.asLong).toMap).toOption
  } yield HubPositions(EventHubName(namespace.asText, hub.asText), createdAt, positions)
}
