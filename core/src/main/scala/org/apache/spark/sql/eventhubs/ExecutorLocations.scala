package org.apache.spark.sql.eventhubs

import org.apache.spark.{SparkContext, SparkEnv}
import org.apache.spark.eventhubs.{NameAndPartition, PreferredLocations}
import org.apache.spark.eventhubs.options.PreferredLocationStrategy
import org.apache.spark.scheduler.ExecutorCacheTaskLocation

/** Places partitions on the executors that are alive now. */
private[eventhubs] final class ExecutorLocations(sc: SparkContext, strategy: PreferredLocationStrategy) {

  private val chooser = strategy match {
    case PreferredLocationStrategy.Hash => PreferredLocations.Hash
    case PreferredLocationStrategy.BalancedHash => PreferredLocations.BalancedHash
  }

  /** A function for one batch, whose executors are looked up once. */
  def forBatch(): NameAndPartition => Option[String] = {
    val executors = alive()
    chooser.locate(_, executors)
  }

  /** Sorted, so that every batch sees the same order; empty in local mode. */
  private def alive(): IndexedSeq[String] =
    if (sc.isLocal) IndexedSeq.empty
    else {
      val own = SparkEnv.get.blockManager
      own.master
        .getPeers(own.blockManagerId)
        .toIndexedSeq
        .sortBy(peer => (peer.host, peer.executorId))
        .map(peer => ExecutorCacheTaskLocation(peer.host, peer.executorId).toString)
    }
}
