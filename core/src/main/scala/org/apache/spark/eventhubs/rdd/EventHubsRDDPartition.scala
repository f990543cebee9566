package org.apache.spark.eventhubs.rdd

import org.apache.spark.Partition

/**
 * The ranges of one task. The RDD's partition index is not the hub's partition id, so a subset or a split range works.
 *
 * @param ranges at least one, read in order
 */
private[eventhubs] final case class EventHubsRDDPartition(override val index: Int, ranges: Seq[OffsetRange])
    extends Partition
