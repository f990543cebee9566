package org.apache.spark.sql.eventhubs.placement

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.options.PreferredLocationStrategy
import org.apache.spark.scheduler.ExecutorCacheTaskLocation
import org.apache.spark.{SparkContext, SparkEnv}

/**
 * Places partitions on executors.
 *
 * @param alive      those that are there now, always in the same order
 * @param atATime    how many tasks an executor runs at a time
 */
private[placement] final class ExecutorLocations(
    strategy: PreferredLocationStrategy,
    alive: () => IndexedSeq[String],
    atATime: () => Int
) {

  private val chooser = strategy match {
    case PreferredLocationStrategy.Hash => PreferredLocations.Hash
    case PreferredLocationStrategy.BalancedHash => PreferredLocations.BalancedHash
    case PreferredLocationStrategy.Stable => StablePlacement
  }

  private var last = (Seq.empty[NameAndPartition], IndexedSeq.empty[String], Map.empty[NameAndPartition, String])

  /** The preferred executor of each partition; recomputed only when the partitions or the executors change. */
  def forBatch(partitions: Seq[NameAndPartition]): NameAndPartition => Option[String] = synchronized {
    val executors = alive()
    if (last._1 != partitions || last._2 != executors)
      last = (partitions, executors, chooser.assign(partitions, executors))
    last._3.get
  }

  /** How many tasks an executor runs at a time, as far as the driver knows. */
  def tasksAtATime: Int = math.max(1, atATime())
}

private[placement] object ExecutorLocations {

  def of(sc: SparkContext, strategy: PreferredLocationStrategy): ExecutorLocations =
    new ExecutorLocations(strategy, () => alive(sc), () => tasksAtATime(sc))

  private def tasksAtATime(sc: SparkContext): Int = {
    val cores =
      if (sc.isLocal) sc.defaultParallelism
      else
        sc.conf.getOption("spark.executor.cores").fold(sc.defaultParallelism / math.max(1, alive(sc).size))(_.toInt)
    cores / sc.conf.getInt("spark.task.cpus", 1)
  }

  /** Empty in local mode. */
  private def alive(sc: SparkContext): IndexedSeq[String] =
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
