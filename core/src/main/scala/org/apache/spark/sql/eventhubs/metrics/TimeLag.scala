package org.apache.spark.sql.eventhubs.metrics

import org.apache.spark.eventhubs.Json
import org.apache.spark.eventhubs.connection.PartitionBounds

/**
 * How far a query is behind in time: for each partition, the enqueued time of its last event minus that of the last
 * event read. A partition that is read to its end has lag 0. The lag of a partition is unknown until this run has read
 * from it.
 */
private[eventhubs] object TimeLag {

  /** @param lastRead for each partition, the enqueued time of the last event read, in epoch milliseconds */
  def seconds(consumed: Map[Int, Long], lastRead: Map[Int, Long], bounds: Map[Int, PartitionBounds]): Map[Int, Double] =
    bounds.flatMap { case (partition, end) =>
      val atEnd = end.isEmpty || consumed.get(partition).exists(_ >= end.latest)
      val seconds =
        if (atEnd) Some(0.0)
        else lastRead.get(partition).map(millis => math.max(0L, end.lastEnqueuedTime.toEpochMilli - millis) / 1000.0)
      seconds.map(partition -> _)
    }

  /** For `StreamingQueryProgress`; empty while no lag is known. */
  def metrics(seconds: Map[Int, Double]): Map[String, String] =
    if (seconds.isEmpty) Map.empty
    else
      Map(
        "maxSecondsBehind" -> seconds.values.max.toString,
        "avgSecondsBehind" -> (seconds.values.sum / seconds.size).toString,
        "secondsBehind" -> byPartition(seconds)
      )

  /** Partition id -> seconds as JSON, sorted, in the manner of the offsets in the same report. */
  private def byPartition(seconds: Map[Int, Double]): String = {
    val node = Json.mapper.createObjectNode()
    seconds.toSeq.sortBy(_._1).foreach { case (partition, value) => node.put(partition.toString, value) }
    node.toString
  }
}
