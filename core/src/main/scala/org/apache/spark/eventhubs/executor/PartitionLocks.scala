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
    val place = (hub, consumerGroup, partition)
    synchronized {
      while (!locked.add(place)) {
        checkCancelled()
        wait(CancellableWait.PollMillis)
      }
    }
    try read
    finally synchronized {
        locked -= place
        notifyAll()
      }
  }
}
