package org.apache.spark.eventhubs.rdd

import org.apache.spark.SparkEnv
import org.apache.spark.scheduler.ExecutorCacheTaskLocation
import org.apache.spark.storage.BlockManagerId

/**
 * Whether to keep a receiver at the end of its range. An idle receiver that no later range continues with counts
 * against the service's limit of five per partition, and other executors cannot close it.
 */
private[spark] object ReceiverReuse {

  def keepsReceiverOf(range: OffsetRange): Boolean = keepsReceiverOf(range, SparkEnv.get.blockManager.blockManagerId)

  /** True when a later range continues there and this JVM is its preferred location. */
  def keepsReceiverOf(range: OffsetRange, here: BlockManagerId): Boolean =
    range.isFollowed && isPlacedAt(range, here)

  /** Whether the task of this range most likely runs in this JVM. */
  def isPlacedHere(range: OffsetRange): Boolean = isPlacedAt(range, SparkEnv.get.blockManager.blockManagerId)

  private def isPlacedAt(range: OffsetRange, here: BlockManagerId): Boolean =
    here.isDriver || range.preferredLocation.contains(textOf(here))

  private def textOf(executor: BlockManagerId): String =
    ExecutorCacheTaskLocation(executor.host, executor.executorId).toString
}
