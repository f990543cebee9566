package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.options.ReadSettings

/**
 * Where the hub ended a moment ago. For the record of a batch that is as good as now: a little more would be read after a
 * failure. So a query of short batches asks the service once in a while, and not with every batch.
 */
private[eventhubs] final class CachedHubPositions(settings: ReadSettings) {

  private var last = Option.empty[(Long, HubPositions)]

  def get(): HubPositions = {
    val asked = System.nanoTime()
    last.collect {
      case (learned, positions) if asked - learned < CachedHubPositions.FreshNanos => positions
    }.getOrElse {
      val (now, _) = ReadBack.now(settings)
      last = Some((asked, now))
      now
    }
  }
}

private object CachedHubPositions {
  private val FreshNanos = 5L * 1000 * 1000 * 1000
}
