package org.apache.spark.sql.eventhubs.source

import org.apache.spark.sql.eventhubs.planning.TriggerLimits
import org.apache.spark.util.Clock

/** Delays small batches until there are enough events, or until the maximum delay since the last batch has passed. */
private[eventhubs] final class TriggerDelay(clock: Clock) {

  // The first batch of a run is never delayed, as with Kafka: the time of the one before it is not known.
  private var lastBatchMillis = Option.empty[Long]

  /**
   * Whether a batch of this backlog should be read now; if so, the delay starts again. An empty backlog is always due:
   * it makes no batch and does not end the delay.
   */
  def isDue(backlog: Long, limits: TriggerLimits): Boolean = {
    val now = clock.getTimeMillis()
    val enough = limits.minEvents.forall(backlog >= _)
    val overdue = lastBatchMillis.forall(now - _ >= limits.maxDelayMillis)
    val due = backlog <= 0 || enough || overdue
    if (due && backlog > 0) lastBatchMillis = Some(now)
    due
  }
}
