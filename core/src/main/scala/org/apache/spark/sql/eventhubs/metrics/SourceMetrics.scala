package org.apache.spark.sql.eventhubs.metrics

import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/** The `metrics` of a source in `StreamingQueryProgress`: numbers of events. */
private[eventhubs] object SourceMetrics {

  def apply(
      consumed: EventHubsSourceOffset,
      newest: EventHubsSourceOffset,
      hub: String,
      lostEvents: Long
  ): Map[String, String] = {
    val read = consumed.of(hub)
    val lag = newest.of(hub).map { case (partition, end) =>
      partition -> math.max(0L, end - read.getOrElse(partition, 0L))
    }
    val lost = Map("lostEvents" -> lostEvents.toString)
    if (lag.isEmpty) lost
    else {
      val (slowest, maxLag) = lag.maxBy(_._2)
      lost ++ Map(
        "eventsBehind" -> lag.values.sum.toString,
        "minEventsBehind" -> lag.values.min.toString,
        "maxEventsBehind" -> maxLag.toString,
        "avgEventsBehind" -> (lag.values.sum.toDouble / lag.size).toString,
        "slowestPartition" -> slowest.toString
      )
    }
  }
}
