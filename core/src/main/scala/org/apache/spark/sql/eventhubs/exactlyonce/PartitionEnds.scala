package org.apache.spark.sql.eventhubs.exactlyonce

import scala.collection.mutable

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.background.ConcurrentCalls
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.retry.CloseEach

/**
 * Finds where partitions end. The management node may answer from a replica that lags behind, so the events after the
 * reported end are received until the service says, by AMQP's drain, that none follows. The service need not know
 * drain. Without its answer a link is kept open for some seconds: then an end that the service reports after them, and
 * up to which events were received, is one.
 *
 * The links to hundreds of partitions wait at the same time, on one connection, and a few threads look at them.
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

  private def withSmallBuffers =
    onOneConnection.copy(receiverBufferBytes = math.min(settings.receiverBufferBytes, MaxBufferBytes))

  /** By the clock of this machine, which the times of events are compared with. */
  private val startedMillis = System.currentTimeMillis()

  private val stopped = () => {
    checkCancelled()
    false
  }

  /** The ends at some moment after this call. */
  def after(from: HubPositions): HubPositions = eventsSince(from)((_, _) => ())._1

  /**
   * The ends, and for each partition the number of events up to there.
   *
   * @param use gets the events of each partition in their order; called by several threads, one at a time
   */
  def eventsSince(from: HubPositions)(use: (Int, ReceivedEvent) => Unit): (HubPositions, Map[Int, Long]) = {
    val reader = if (from.next.size > ConcurrentCalls.AtATime) withSmallBuffers else onOneConnection
    val shares = from.next.toSeq.sorted.zipWithIndex.groupBy(_._2 % ConcurrentCalls.AtATime).values.toSeq
    val found =
      ConcurrentCalls.all("eventhubs-partition-ends", shares.map(_.map(_._1)))(search(reader, from, _, use)).flatten
    (
      from.copy(next = found.map { case (partition, end, _) => partition -> end }.toMap),
      found.map { case (partition, _, events) => partition -> events }.toMap
    )
  }

  private def search(
      reader: ReadSettings,
      from: HubPositions,
      starts: Seq[(Int, Long)],
      use: (Int, ReceivedEvent) => Unit
  ): Seq[(Int, Long, Long)] = {
    val left = mutable.LinkedHashMap(starts: _*)
    val running = mutable.LinkedHashMap.empty[Int, EndSearch]
    val found = Seq.newBuilder[(Int, Long, Long)]
    try {
      while (left.nonEmpty || running.nonEmpty) {
        checkCancelled()
        left.toSeq.iterator.takeWhile(_ => running.size < LinksOfThread).foreach { case (partition, next) =>
          begin(reader, from, partition, next, use).foreach { search =>
            left -= partition
            running(partition) = search
          }
        }
        val ended = running.toSeq.flatMap { case (partition, search) => search.step().map((partition, search, _)) }
        ended.foreach { case (partition, search, end) =>
          running -= partition
          close(from, partition, search)
          found += ((partition, end, search.received))
        }
        if (ended.isEmpty) Thread.sleep(PollMillis)
      }
      found.result()
    } finally CloseEach.steps(running.toSeq.map { case (partition, search) =>
        () => close(from, partition, search)
      }: _*)
  }

  /** None while another task of this JVM reads the partition. */
  private def begin(
      reader: ReadSettings,
      from: HubPositions,
      partition: Int,
      next: Long,
      use: (Int, ReceivedEvent) => Unit
  ): Option[EndSearch] =
    if (!resources.readBackLocks.tryLock(from.hub, settings.consumerGroup, partition)) None
    else
      try {
        val receiver = resources.receivers.acquire(reader, partition, from.generation, next, fresh = true)
        val each = (event: ReceivedEvent) => PartitionEnds.this.synchronized(use(partition, event))
        try Some(new EndSearch(receiver, from.hub, settings, resources.clock, startedMillis, stopped, each))
        catch {
          case failed: Throwable =>
            receiver.close()
            throw failed
        }
      } catch {
        case failed: Throwable =>
          resources.readBackLocks.unlock(from.hub, settings.consumerGroup, partition)
          throw failed
      }

  private def close(from: HubPositions, partition: Int, search: EndSearch): Unit =
    try search.close()
    finally resources.readBackLocks.unlock(from.hub, settings.consumerGroup, partition)
}

private object PartitionEnds {

  private val PollMillis = 5L

  /** With the threads of [[ConcurrentCalls]], 256 links are open at the same time. */
  private val LinksOfThread = 32

  /** Hundreds of links must not fill the heap when all partitions have many events. */
  private val MaxBufferBytes = 1L << 20
}
