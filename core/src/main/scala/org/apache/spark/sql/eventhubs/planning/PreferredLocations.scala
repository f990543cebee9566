package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.NameAndPartition

/** On which executor a partition is best read: always the same one, so that it finds its open receiver there. */
trait PreferredLocations {

  /** @param executors locations in an order that all batches agree on; None when there is none to choose from */
  def locate(partition: NameAndPartition, executors: IndexedSeq[String]): Option[String]

  /** All partitions of a batch at once; empty when there are no executors to choose from. */
  def assign(partitions: Seq[NameAndPartition], executors: IndexedSeq[String]): Map[NameAndPartition, String] =
    (for (partition <- partitions; executor <- locate(partition, executors)) yield partition -> executor).toMap
}

object PreferredLocations {

  /** By the hash of name and partition together: simple, and by chance uneven. */
  object Hash extends PreferredLocations {
    override def locate(partition: NameAndPartition, executors: IndexedSeq[String]): Option[String] =
      at(partition.hashCode, executors)
  }

  /** Consecutive partitions on consecutive executors: never more than one partition apart; hubs start at different ones. */
  object BalancedHash extends PreferredLocations {
    override def locate(partition: NameAndPartition, executors: IndexedSeq[String]): Option[String] =
      at(partition.ehName.hashCode + partition.partitionId, executors)
  }

  private def at(hash: Int, executors: IndexedSeq[String]): Option[String] =
    if (executors.isEmpty) None else Some(executors(Math.floorMod(hash, executors.length)))
}
