package org.apache.spark.sql.eventhubs.metrics

import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/** The `metrics` of a source in `StreamingQueryProgress`. Counts are events. */
private[eventhubs] object SourceMetrics {

  def apply(
      consumed: EventHubsSourceOffset,
      newest: EventHubsSourceOffset,
      hub: String,
      lostEvents: Long
  ): Map[String, String] = {
    val read = consumed.of(hub)
    val behind = newest.of(hub).map { case (partition, end) =>
      partition -> math.max(0L, end - read.getOrElse(partition, 0L))
    }
    val lost = Map("lostEvents" -> lostEvents.toString)
    if (behind.isEmpty) lost
    else {
      val (slowest, most) = behind.maxBy(_._2)
      lost ++ Map(
        "eventsBehind" -> behind.values.sum.toString,
        "minEventsBehind" -> behind.values.min.toString,
        "maxEventsBehind" -> most.toString,
        "avgEventsBehind" -> (behind.values.sum.toDouble / behind.size).toString,
        "slowestPartition" -> slowest.toString
      )
    }
  }
}
