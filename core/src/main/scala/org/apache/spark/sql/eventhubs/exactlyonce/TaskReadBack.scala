package org.apache.spark.sql.eventhubs.exactlyonce

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.amqp.{OutgoingBody, ReceivedEvent, StampProperty}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ReadSettings, WriteDestination}
import org.apache.spark.eventhubs.rdd.{EventRangeIterator, OffsetRange}
import org.apache.spark.eventhubs.send.InDoubtBatchLookup
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, FingerprintCounts, WriteName}

/**
 * What the attempts of one task have brought into the hub since the batch was begun. Used by the task's thread.
 *
 * @param start  where the hub ended before the first of them began
 * @param settle waits until what was sent has arrived, as far as waiting can tell
 */
private[eventhubs] final class TaskReadBack(
    name: WriteName,
    settings: ReadSettings,
    start: HubPositions,
    context: TaskContext,
    settle: () => Unit
) extends InDoubtBatchLookup
    with Logging {

  private val task = context.partitionId()
  private val checkCancelled = () => context.killTaskIfInterrupted()

  /** Events before this are known: what is in doubt now was sent after they were read. */
  private var known = start

  /** Of all attempts. */
  def fingerprints(): FingerprintCounts = {
    val counts = new FingerprintCounts
    read(_ => true)((event, stamp) => { counts.add(Fingerprint.whole(OutgoingBody(event.body), stamp.beside)); () })
    counts
  }

  override def areStored(batches: Seq[(StampProperty, WriteDestination)]): Seq[Boolean] = {
    val wanted = batches.map { case (stamp, _) => EventStamp.parse(stamp.bytes) }
    val found = mutable.Set.empty[BatchNumber]
    read(mayHold(batches.map(_._2)))((_, stamp) => found ++= stamp.batch)
    val stored = wanted.map(_.flatMap(_.batch).exists(found))
    logInfo(s"Of ${batches.length} batches that were not answered, ${stored.count(identity)} are in ${start.hub}")
    stored
  }

  private def mayHold(destinations: Seq[WriteDestination]): Int => Boolean = {
    val ids = destinations.collect { case WriteDestination.ToPartition(id) => id }
    if (ids.length == destinations.length) partition => ids.contains(partition.toString) else _ => true
  }

  private def read(wanted: Int => Boolean)(use: (ReceivedEvent, EventStamp) => Unit): Unit = {
    settle()
    val now = ReadBack.endsForAll(settings, checkCancelled)
    if (now.generation != start.generation)
      throw EventHubsErrors.exactlyOnceUnknowable(
        start.hub,
        name.toString,
        s"the hub was recreated at ${now.generation.time} while the batch was sent"
      )
    inTurn(known.until(now).filter(range => wanted(range.partitionId))).foreach { range =>
      val group = settings.consumerGroup
      ExecutorResources.get.readBackLocks.withLock(
        start.hub,
        group,
        range.partitionId,
        checkCancelled
      )(read(range, use))
    }
    known = known.copy(next = known.next ++ now.next.filter { case (partition, _) => wanted(partition) })
  }

  /** Tasks that look at the same moment begin with different partitions. */
  private def inTurn(ranges: Seq[OffsetRange]): Seq[OffsetRange] = {
    val (before, first) = ranges.splitAt(if (ranges.isEmpty) 0 else task % ranges.length)
    first ++ before
  }

  private def read(range: OffsetRange, use: (ReceivedEvent, EventStamp) => Unit): Unit = {
    val events =
      new EventRangeIterator(
        range,
        settings,
        ExecutorResources.get,
        context,
        reuseReceiver = false,
        start.generation,
        _ => ()
      )
    events.foreach { event =>
      EventStamp.of(event, name, start.hub).filter(_.task == task).foreach(use(event, _))
    }
  }
}
