package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.background.ConcurrentCalls
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings

/**
 * Finds where partitions end. The management node may answer from a replica that lags behind, so the events after the
 * reported end are received until the service says, by AMQP's drain, that none follows. The service need not know
 * drain. Without its answer a link is kept open for some seconds: then an end that the service reports after them, and
 * up to which events were received, is one.
 *
 * @param checkCancelled throws when the caller is to stop; called often, by several threads
 */
private[eventhubs] final class PartitionEnds(
    settings: ReadSettings,
    resources: ExecutorResources,
    checkCancelled: () => Unit
) {

  import PartitionEnds._

  /** The links are open for a moment only, so they share a connection. */
  private val onOneConnection = settings.copy(maxConnections = Some(1))

  /** The ends at some moment after this call. The links to a few partitions are open at a time. */
  def after(reported: HubPositions): HubPositions = {
    val ends = ConcurrentCalls.all("eventhubs-partition-ends", reported.next.toSeq) { case (partition, next) =>
      partition -> end(reported, partition, next)
    }
    reported.copy(next = ends.toMap)
  }

  private val stopped = () => {
    checkCancelled()
    false
  }

  private def end(reported: HubPositions, partition: Int, next: Long): Long =
    resources.readBackLocks.withLock(reported.hub, settings.consumerGroup, partition, checkCancelled) {
      val receiver = resources.receivers.acquire(onOneConnection, partition, reported.generation, next, fresh = true)
      try {
        receiver.startRange(Long.MaxValue, isFollowed = false)
        var progressMillis = resources.clock.getTimeMillis()
        var reportedAgain = Option.empty[Long]
        def isAtEnd: Boolean =
          if (reportedAgain.isDefined) reportedAgain.exists(receiver.nextSeqNo >= _)
          else if (receiver.hasListened) {
            reportedAgain = Some(receiver.bounds(stopped).latest)
            isAtEnd
          } else receiver.takeEmpty()
        while (!isAtEnd) {
          checkCancelled()
          if (!receiver.isAskedIfEmpty) receiver.askIfEmpty()
          val silentMillis = resources.clock.getTimeMillis() - progressMillis
          if (receiver.advanceWithin(Never, PollMillis)) progressMillis = resources.clock.getTimeMillis()
          else if (silentMillis >= settings.connection.operationTimeout.toMillis)
            throw receiver.failure.getOrElse(
              EventHubsErrors.silent(reported.hub, receiver.key.doing, receiver.nextSeqNo, silentMillis / 1000, "")
            )
        }
        receiver.nextSeqNo
      } finally receiver.close()
    }
}

private object PartitionEnds {

  private val PollMillis = 100L
  private val Never: () => Boolean = () => false
}
