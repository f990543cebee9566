package org.apache.spark.sql.eventhubs.source

import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.{Json, NameAndPartition}

/**
 * How far a query is behind in time: for each partition, the enqueued time of its last event minus that of the last
 * event read. A partition that is read to its end has lag 0. The lag of a partition is unknown until this run has read
 * from it.
 */
private[eventhubs] object TimeLag {

  /** @param lastRead for each partition, the enqueued time of the last event read, in epoch milliseconds */
  def seconds(
      consumed: Map[NameAndPartition, Long],
      lastRead: Map[NameAndPartition, Long],
      bounds: Map[NameAndPartition, PartitionBounds]
  ): Map[NameAndPartition, Double] =
    bounds.flatMap { case (partition, end) =>
      val atEnd = end.isEmpty || consumed.get(partition).exists(_ >= end.latest)
      val seconds =
        if (atEnd) Some(0.0)
        else lastRead.get(partition).map(millis => math.max(0L, end.lastEnqueuedTime.toEpochMilli - millis) / 1000.0)
      seconds.map(partition -> _)
    }

  /** For `StreamingQueryProgress`; empty while no lag is known. */
  def metrics(seconds: Map[NameAndPartition, Double]): Map[String, String] =
    if (seconds.isEmpty) Map.empty
    else summary(seconds) + ("secondsBehind" -> byPartition(Json.mapper.createObjectNode(), seconds).toString)

  /** Returns [[metrics]] of several hubs. `secondsBehind` has an object for each, as the offsets in the report have. */
  def metricsOfHubs(seconds: Map[NameAndPartition, Double]): Map[String, String] =
    if (seconds.isEmpty) Map.empty
    else {
      val node = Json.mapper.createObjectNode()
      seconds.groupBy(_._1.ehName).toSeq.sortBy(_._1).foreach { case (hub, partitions) =>
        byPartition(node.putObject(hub), partitions)
      }
      summary(seconds) + ("secondsBehind" -> node.toString)
    }

  private def summary(seconds: Map[NameAndPartition, Double]): Map[String, String] = Map(
    "maxSecondsBehind" -> seconds.values.max.toString,
    "avgSecondsBehind" -> (seconds.values.sum / seconds.size).toString
  )

  /** Partition id -> seconds as JSON, sorted, in the manner of the offsets in the same report. */
  private def byPartition(node: ObjectNode, seconds: Map[NameAndPartition, Double]): ObjectNode = {
    seconds.toSeq.sortBy(_._1.partitionId).foreach { case (partition, value) =>
      node.put(partition.partitionId.toString, value)
    }
    node
  }
}
