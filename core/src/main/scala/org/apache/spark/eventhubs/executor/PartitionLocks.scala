package org.apache.spark.eventhubs.executor

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.send.ProducerCalls

/**
 * Lets one task of this JVM at a time read a partition for itself alone. The service allows five readers of a partition and
 * group, to all executors and queries together.
 */
private[spark] final class PartitionLocks {

  private val taken = mutable.HashSet.empty[(EventHubName, String, Int)]

  /** @param checkCancelled throws when the task is to stop; asked often while this waits */
  def withLock[A](
      hub: EventHubName,
      consumerGroup: String,
      partition: Int,
      checkCancelled: () => Unit
  )(read: => A): A = {
    val place = (hub, consumerGroup, partition)
    synchronized {
      while (!taken.add(place)) {
        checkCancelled()
        wait(ProducerCalls.LookUpMillis)
      }
    }
    try read
    finally synchronized {
        taken -= place
        notifyAll()
      }
  }
}
