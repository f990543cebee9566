package org.apache.spark.eventhubs.rdd

import org.apache.spark.SparkEnv
import org.apache.spark.scheduler.ExecutorCacheTaskLocation
import org.apache.spark.storage.BlockManagerId

/**
 * Whether a receiver is worth keeping at the end of its range. One that no later range goes on with counts against the
 * service's five per partition for as long as it is idle, and other executors cannot close it.
 */
private[spark] object ReceiverReuse {

  def keepsReceiverOf(range: OffsetRange): Boolean = keepsReceiverOf(range, SparkEnv.get.blockManager.blockManagerId)

  /** The next range goes on there, and as far as anybody knows it is read here. */
  def keepsReceiverOf(range: OffsetRange, here: BlockManagerId): Boolean =
    range.isFollowed && (here.isDriver || range.preferredLocation.contains(textOf(here)))

  private def textOf(executor: BlockManagerId): String =
    ExecutorCacheTaskLocation(executor.host, executor.executorId).toString
}
