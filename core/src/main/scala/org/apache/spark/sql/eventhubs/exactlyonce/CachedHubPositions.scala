package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.sql.eventhubs.hubs.InParallel

/**
 * The ends of hubs, at most 5 s old, so that a query with short batches does not query the service for every batch.
 * Older ends, also of an answer that lags behind, are correct in the record of a batch: after a failure a few more
 * events are read back.
 */
private[eventhubs] final class CachedHubPositions(settings: EventHubName => ReadSettings) {

  private var last = Map.empty[String, (Long, HubPositions)]

  /** The latest answer about each hub: the next one may come from a replica that lags behind. */
  private var seen = Map.empty[String, HubPositions]

  /** In the order of the hubs. Those that are not known are asked at the same time. */
  def of(hubs: Seq[EventHubName]): Seq[HubPositions] = {
    val now = System.nanoTime()
    last = last.filter { case (_, (queried, _)) => now - queried < CachedHubPositions.MaxAgeNanos }
    val unknown = hubs.filterNot(hub => last.contains(hub.key))
    val known = seen
    last ++= InParallel.map(unknown) { hub =>
      hub.key -> ((now, ReadBack.reportedPositions(settings(hub), known.get(hub.key))._1))
    }
    seen ++= unknown.map(hub => hub.key -> last(hub.key)._2)
    hubs.map(hub => last(hub.key)._2)
  }
}

private object CachedHubPositions {
  private val MaxAgeNanos = 5L * 1000 * 1000 * 1000
}
