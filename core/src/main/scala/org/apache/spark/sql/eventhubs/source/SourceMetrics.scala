package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.{Json, NameAndPartition}

/**
 * The `metrics` of a source in `StreamingQueryProgress`: numbers of events. In a compacted hub these are not known, so
 * its metrics count sequence numbers and have other names.
 */
private[eventhubs] object SourceMetrics {

  /**
   * @param read           next event to read of each partition
   * @param newest         end of each partition
   * @param secondsBehind  by partition, where it is known
   * @param isCompacted    whether sequence numbers do not count events
   */
  def apply(
      read: Map[NameAndPartition, Long],
      newest: Map[NameAndPartition, Long],
      lostEvents: Long,
      secondsBehind: Map[NameAndPartition, Double] = Map.empty,
      isCompacted: Boolean = false
  ): Map[String, String] = {
    val lag = lagOf(read, newest)
    val lost = Map("lostEvents" -> lostEvents.toString)
    if (lag.isEmpty) lost
    else lost ++ (if (isCompacted) ofNumbers(lag) else ofEvents(lag)) ++
      slowest(lag, secondsBehind, isCompacted).map(found => "slowestPartition" -> found.partitionId.toString)
  }

  /** Returns the metrics of several hubs: with the hub of the slowest partition, and each hub's numbers as JSON. */
  def ofHubs(
      read: Map[NameAndPartition, Long],
      newest: Map[NameAndPartition, Long],
      lostEvents: Map[String, Long],
      secondsBehind: Map[NameAndPartition, Double] = Map.empty,
      isCompacted: Boolean = false
  ): Map[String, String] = {
    val lag = lagOf(read, newest)
    val behind = lag.groupBy(_._1.ehName).map { case (hub, partitions) => hub -> partitions.values.sum }
    apply(read, newest, lostEvents.values.sum, secondsBehind, isCompacted) ++
      slowest(lag, secondsBehind, isCompacted).map(found => "slowestHub" -> found.ehName) +
      ((if (isCompacted) "sequenceNumbersBehindByHub" else "eventsBehindByHub") -> byHub(behind)) +
      ("lostEventsByHub" -> byHub(lostEvents))
  }

  /**
   * What a query with the trigger AvailableNow still has to read.
   *
   * @param end for each partition, the end that the query fixed at its start
   */
  def left(
      read: Map[NameAndPartition, Long],
      end: Map[NameAndPartition, Long],
      isCompacted: Boolean
  ): Map[String, String] = {
    val numbers = end.map { case (partition, until) => math.max(0L, until - read.getOrElse(partition, 0L)) }.sum
    Map((if (isCompacted) "sequenceNumbersLeft" else "eventsLeft") -> numbers.toString)
  }

  private def lagOf(read: Map[NameAndPartition, Long], newest: Map[NameAndPartition, Long]) =
    newest.map { case (partition, end) => partition -> math.max(0L, end - read.getOrElse(partition, 0L)) }

  private def slowest(
      lag: Map[NameAndPartition, Long],
      secondsBehind: Map[NameAndPartition, Double],
      isCompacted: Boolean
  ): Option[NameAndPartition] =
    if (isCompacted) secondsBehind.maxByOption(_._2).map(_._1) else lag.maxByOption(_._2).map(_._1)

  private def ofEvents(lag: Map[NameAndPartition, Long]): Map[String, String] = Map(
    "eventsBehind" -> lag.values.sum.toString,
    "minEventsBehind" -> lag.values.min.toString,
    "maxEventsBehind" -> lag.values.max.toString,
    "avgEventsBehind" -> (lag.values.sum.toDouble / lag.size).toString
  )

  private def ofNumbers(lag: Map[NameAndPartition, Long]): Map[String, String] = Map(
    "sequenceNumbersBehind" -> lag.values.sum.toString,
    "maxSequenceNumbersBehind" -> lag.values.max.toString
  )

  private def byHub(numbers: Map[String, Long]): String = {
    val node = Json.mapper.createObjectNode()
    numbers.toSeq.sortBy(_._1).foreach { case (hub, number) => node.put(hub, number) }
    node.toString
  }
}
