package org.apache.spark.sql.eventhubs.metrics

import org.apache.spark.eventhubs.connection.PartitionBounds

/**
 * How old what a query has read is, beside what it has not: for each partition the time between the last event read and
 * the last event there is. A partition that is read to its end is 0 behind, whatever its age; one of which this run has
 * not read anything is unknown.
 */
private[eventhubs] object TimeBehind {

  /** @param lastRead by partition, enqueued time of the last event read, in epoch milliseconds */
  def seconds(consumed: Map[Int, Long], lastRead: Map[Int, Long], bounds: Map[Int, PartitionBounds]): Map[Int, Double] =
    bounds.flatMap { case (partition, end) =>
      val atEnd = end.isEmpty || consumed.get(partition).exists(_ >= end.latest)
      val seconds =
        if (atEnd) Some(0.0)
        else lastRead.get(partition).map(millis => math.max(0L, end.lastEnqueuedTime.toEpochMilli - millis) / 1000.0)
      seconds.map(partition -> _)
    }

  /** For `StreamingQueryProgress`; empty while nothing is known. */
  def metrics(seconds: Map[Int, Double]): Map[String, String] =
    if (seconds.isEmpty) Map.empty
    else
      Map(
        "maxSecondsBehind" -> seconds.values.max.toString,
        "avgSecondsBehind" -> (seconds.values.sum / seconds.size).toString
      )
}
