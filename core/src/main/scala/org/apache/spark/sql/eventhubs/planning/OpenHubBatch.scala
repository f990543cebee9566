package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * What waits in a hub before a micro-batch.
 *
 * @param from     first event to read of each partition
 * @param target   end of each partition, before limits
 * @param unread   next sequence numbers of the partitions that the query does not read now; they stay in the offset
 * @param isUrgent whether the batch is read without delay: with the trigger AvailableNow, and after a loss
 */
private[eventhubs] final case class Backlog(
    start: EventHubsSourceOffset,
    from: Map[Int, Long],
    target: Map[Int, Long],
    unread: Map[Int, Long],
    isUrgent: Boolean
) {

  /** Number of waiting events by partition; negative where the hub has fewer than before. */
  val events: Map[Int, Long] = target.map { case (partition, end) =>
    partition -> (end - from.getOrElse(partition, end))
  }
}

/**
 * A Real-Time batch between its start and its end.
 *
 * @param ranges     one without an end for each partition that is read
 * @param generation the hub that the ranges refer to
 * @param unread     next sequence numbers of the partitions that the query does not read now; they stay in the offset
 */
private[eventhubs] final case class OpenHubBatch(
    ranges: Seq[OffsetRange],
    generation: HubGeneration,
    unread: Map[Int, Long]
)
