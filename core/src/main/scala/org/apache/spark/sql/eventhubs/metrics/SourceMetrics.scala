package org.apache.spark.sql.eventhubs.metrics

import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * The `metrics` of a source in `StreamingQueryProgress`: numbers of events. In a compacted hub these are not known, so
 * its metrics count sequence numbers and have other names.
 */
private[eventhubs] object SourceMetrics {

  /**
   * @param secondsBehind  by partition, where it is known
   * @param isCompacted    whether sequence numbers do not count events
   */
  def apply(
      consumed: EventHubsSourceOffset,
      newest: EventHubsSourceOffset,
      hub: String,
      lostEvents: Long,
      secondsBehind: Map[Int, Double] = Map.empty,
      isCompacted: Boolean = false
  ): Map[String, String] = {
    val read = consumed.of(hub)
    val lag = newest.of(hub).map { case (partition, end) =>
      partition -> math.max(0L, end - read.getOrElse(partition, 0L))
    }
    val lost = Map("lostEvents" -> lostEvents.toString)
    if (lag.isEmpty) lost else lost ++ (if (isCompacted) ofNumbers(lag, secondsBehind) else ofEvents(lag))
  }

  /**
   * What a query with the trigger AvailableNow still has to read.
   *
   * @param end for each partition, the end that the query fixed at its start
   */
  def left(consumed: Map[Int, Long], end: Map[Int, Long], isCompacted: Boolean): Map[String, String] = {
    val numbers = end.map { case (partition, until) => math.max(0L, until - consumed.getOrElse(partition, 0L)) }.sum
    Map((if (isCompacted) "sequenceNumbersLeft" else "eventsLeft") -> numbers.toString)
  }

  private def ofEvents(lag: Map[Int, Long]): Map[String, String] = {
    val (slowest, maxLag) = lag.maxBy(_._2)
    Map(
      "eventsBehind" -> lag.values.sum.toString,
      "minEventsBehind" -> lag.values.min.toString,
      "maxEventsBehind" -> maxLag.toString,
      "avgEventsBehind" -> (lag.values.sum.toDouble / lag.size).toString,
      "slowestPartition" -> slowest.toString
    )
  }

  private def ofNumbers(lag: Map[Int, Long], secondsBehind: Map[Int, Double]): Map[String, String] =
    Map(
      "sequenceNumbersBehind" -> lag.values.sum.toString,
      "maxSequenceNumbersBehind" -> lag.values.max.toString
    ) ++ secondsBehind.maxByOption(_._2).map { case (slowest, _) => "slowestPartition" -> slowest.toString }
}
