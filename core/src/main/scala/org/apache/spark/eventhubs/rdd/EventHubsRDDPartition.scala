package org.apache.spark.eventhubs.rdd

import org.apache.spark.Partition

/**
 * One task's share: the RDD's partition index is not the hub's partition id, so subsets and split ranges work.
 *
 * @param ranges at least one, read one after the other
 */
final case class EventHubsRDDPartition(override val index: Int, ranges: Seq[OffsetRange]) extends Partition
