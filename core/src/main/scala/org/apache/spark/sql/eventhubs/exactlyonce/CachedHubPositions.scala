package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.options.ReadSettings

/**
 * The ends of hubs, at most 5 s old, so that a query with short batches does not query the service for every batch.
 * Older ends, also of an answer that lags behind, are correct in the record of a batch: after a failure a few more
 * events are read back.
 */
private[eventhubs] final class CachedHubPositions(settings: EventHubName => ReadSettings) {

  private var last = Map.empty[String, (Long, HubPositions)]

  def of(hub: EventHubName): HubPositions = {
    val now = System.nanoTime()
    last = last.filter { case (_, (queried, _)) => now - queried < CachedHubPositions.MaxAgeNanos }
    last.get(hub.key).map(_._2).getOrElse {
      val (positions, _) = ReadBack.reportedPositions(settings(hub))
      last += hub.key -> ((now, positions))
      positions
    }
  }
}

private object CachedHubPositions {
  private val MaxAgeNanos = 5L * 1000 * 1000 * 1000
}
