package org.apache.spark.eventhubs.executor

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.retry.CancellableWait

/**
 * Locks that let one task of this JVM at a time read back a partition. The service allows five readers for each
 * partition and consumer group, and all executors and queries share them.
 */
private[spark] final class PartitionLocks {

  private val locked = mutable.HashSet.empty[(EventHubName, String, Int)]

  /** @param checkCancelled throws when the task is to stop; called often during the wait */
  def withLock[A](
      hub: EventHubName,
      consumerGroup: String,
      partition: Int,
      checkCancelled: () => Unit
  )(read: => A): A = {
    synchronized {
      while (!tryLock(hub, consumerGroup, partition)) {
        checkCancelled()
        wait(CancellableWait.PollMillis)
      }
    }
    try read
    finally unlock(hub, consumerGroup, partition)
  }

  /** Whether the caller has the lock now. It does not wait. */
  def tryLock(hub: EventHubName, consumerGroup: String, partition: Int): Boolean =
    synchronized(locked.add((hub, consumerGroup, partition)))

  def unlock(hub: EventHubName, consumerGroup: String, partition: Int): Unit = synchronized {
    locked -= ((hub, consumerGroup, partition))
    notifyAll()
  }
}
