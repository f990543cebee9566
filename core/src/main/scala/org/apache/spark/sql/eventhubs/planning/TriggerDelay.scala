package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.util.Clock

/** Holds small batches back until they have grown, or until too much time has passed since the last one. */
private[eventhubs] final class TriggerDelay(clock: Clock) {

  // The first batch of a run comes at once, as with Kafka: nobody knows when the one before it was.
  private var lastBatchMillis = Option.empty[Long]

  /**
   * Whether a batch of this backlog should be read now; if so, it counts as read. An empty backlog always may: it makes
   * no batch, and the delay goes on.
   */
  def permits(backlog: Long, limits: TriggerLimits): Boolean = {
    val now = clock.getTimeMillis()
    val enough = limits.minEvents.forall(backlog >= _)
    val overdue = lastBatchMillis.forall(now - _ >= limits.maxDelayMillis)
    val permitted = backlog <= 0 || enough || overdue
    if (permitted && backlog > 0) lastBatchMillis = Some(now)
    permitted
  }
}
