package org.apache.spark.sql.eventhubs.placement

import org.apache.spark.eventhubs.NameAndPartition

/** Chooses the executor that reads a partition: the same one in every batch, because it keeps the open receiver. */
private[eventhubs] trait PreferredLocations {

  /** @param executors locations, in the same order for every batch; the result is None when there are none */
  def locate(partition: NameAndPartition, executors: IndexedSeq[String]): Option[String]

  /** Locates all partitions of a batch. The result is empty when there are no executors. */
  def assign(partitions: Seq[NameAndPartition], executors: IndexedSeq[String]): Map[NameAndPartition, String] =
    (for (partition <- partitions; executor <- locate(partition, executors)) yield partition -> executor).toMap
}

private[eventhubs] object PreferredLocations {

  /** By the hash of the hub's name and the partition: simple, but the load may be uneven. */
  object Hash extends PreferredLocations {
    override def locate(partition: NameAndPartition, executors: IndexedSeq[String]): Option[String] =
      at(partition.hashCode, executors)
  }

  /**
   * Consecutive partitions on consecutive executors: loads differ by at most one; hubs start at different executors.
   */
  object BalancedHash extends PreferredLocations {
    override def locate(partition: NameAndPartition, executors: IndexedSeq[String]): Option[String] =
      at(partition.ehName.hashCode + partition.partitionId, executors)
  }

  private def at(hash: Int, executors: IndexedSeq[String]): Option[String] =
    if (executors.isEmpty) None else Some(executors(Math.floorMod(hash, executors.length)))
}
