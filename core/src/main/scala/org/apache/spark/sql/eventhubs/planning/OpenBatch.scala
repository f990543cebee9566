package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.rdd.OffsetRange

/**
 * A Real-Time batch between its start and its end.
 *
 * @param ranges     one without an end for each partition that is read
 * @param generation the hub that the ranges refer to
 * @param unread     next sequence numbers of the partitions that the query does not read now; they stay in the offset
 */
private[eventhubs] final case class OpenBatch(
    ranges: Seq[OffsetRange],
    generation: HubGeneration,
    unread: Map[Int, Long]
)
