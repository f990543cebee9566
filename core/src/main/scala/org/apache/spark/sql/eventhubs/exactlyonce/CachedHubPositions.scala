package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.options.ReadSettings

/**
 * The hub's ends, at most 5 s old, so that a query with short batches does not query the service for every batch. Older
 * ends, also of an answer that lags behind, are correct in the record of a batch: after a failure a few more events are
 * read back.
 */
private[eventhubs] final class CachedHubPositions(settings: ReadSettings) {

  private var last = Option.empty[(Long, HubPositions)]

  def get(): HubPositions = {
    val now = System.nanoTime()
    last.collect {
      case (queried, positions) if now - queried < CachedHubPositions.MaxAgeNanos => positions
    }.getOrElse {
      val (positions, _) = ReadBack.reportedPositions(settings)
      last = Some((now, positions))
      positions
    }
  }
}

private object CachedHubPositions {
  private val MaxAgeNanos = 5L * 1000 * 1000 * 1000
}
