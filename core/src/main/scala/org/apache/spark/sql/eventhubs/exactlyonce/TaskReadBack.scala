package org.apache.spark.sql.eventhubs.exactlyonce

import java.time.Duration

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.{OutgoingBody, ReceivedEvent}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ReadSettings, WriteDestination}
import org.apache.spark.eventhubs.rdd.{EventRangeIterator, OffsetRange}
import org.apache.spark.eventhubs.send.{InDoubtBatch, InDoubtBatchLookup}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, FingerprintCounts, WriteIdentity}

/**
 * Reads the events that the attempts of one task wrote. Used by the task's thread.
 *
 * @param start the hub's ends before the first attempt
 * @param inHub see [[Fingerprint.inHub]]
 */
private[eventhubs] final class TaskReadBack(
    writeId: WriteIdentity,
    settings: ReadSettings,
    start: HubPositions,
    context: TaskContext,
    override val settleTime: Duration,
    override val settleTimeAfterStall: Duration,
    inHub: Long
) extends InDoubtBatchLookup
    with Logging {

  private val task = context.partitionId()
  private val checkCancelled = () => context.killTaskIfInterrupted()

  /** Events before these ends were read. A batch that is in doubt now was sent later. */
  private var known = start
  private var hasRead = false

  /** Throws when the hub is no longer the one in which the batch was started. */
  def checkGeneration(): Unit = requireSameHub(ReadBack.sharedGeneration(settings, checkCancelled))

  /**
   * Adds the fingerprints of the events of all attempts. The caller has waited until no event of an earlier attempt can
   * still arrive.
   */
  def addFingerprints(counts: FingerprintCounts): Unit = {
    val add = (_: Int, event: ReceivedEvent, stamp: EventStamp) => {
      if (stamp.task == task) counts.add(Fingerprint.combine(OutgoingBody.of(event), stamp.attributes).inHub(inHub))
      ()
    }
    // Asking for the reported ends also shows that the last events are gone, but takes long with many partitions.
    if (isReplicated || start.next.size <= ReadBack.FewPartitions) readToReportedEnds(_ => true)(add)
    else take(ReadBack.eventsSince(settings, known, None, writeId, checkCancelled)(add))
  }

  /**
   * Looks again when all was sent after a read-back. A promotion before that may have taken events that were confirmed,
   * and a partition shows it only when it has an event of the new epoch, such as one that was sent since.
   */
  def checkPromotion(): Unit = if (isReplicated && hasRead) {
    endsNow()
    ()
  }

  override def areStored(batches: Seq[InDoubtBatch]): Seq[Boolean] = {
    val found = batchesSince(mayHold(batches.map(_.destination)))
    val stored = batches.map { batch =>
      val events =
        EventStamp.parse(batch.stamp.bytes).flatMap(_.batch).flatMap(of => found.get((task, of))).getOrElse(0)
      if (events > 0 && events < batch.events)
        throw partly(s"$events of the ${batch.events} events of a batch are in the hub")
      events > 0
    }
    logInfo(s"Of ${batches.length} batches without an answer, ${stored.count(identity)} are in ${start.hub}")
    stored
  }

  /** The batches since [[known]], with the number of their events. */
  private def batchesSince(destinations: Option[Set[Int]]): Map[(Int, BatchNumber), Int] =
    if (isReplicated) {
      val counts = new BatchCounts
      readToReportedEnds(id => destinations.forall(_(id)))((partition, _, stamp) => counts.add(partition, stamp))
      counts.result
    } else {
      val since = ReadBack.sharedEventsSince(settings, known, destinations, writeId, checkCancelled)
      take(since)
      since.batches
    }

  /** The partitions that may have the batches; None for all. */
  private def mayHold(destinations: Seq[WriteDestination]): Option[Set[Int]] = {
    val ids = destinations.collect { case WriteDestination.ToPartition(id) => id.toInt }
    Option.when(ids.length == destinations.length)(ids.toSet)
  }

  private def take(since: EventsSince): Unit = {
    requireSameHub(since.ends.generation)
    since.incomplete.foreach(why => throw unknowable(why))
    known = known.copy(next = known.next ++ since.ends.next)
  }

  /** Only a reader that knows the epochs notices a region that is promoted while it reads. */
  private def isReplicated = start.epochs.nonEmpty

  /**
   * Reads up to the ends that the service reports, and further. Events that are gone, also the last ones, are noticed.
   */
  private def readToReportedEnds(wanted: Int => Boolean)(use: (Int, ReceivedEvent, EventStamp) => Unit): Unit = {
    hasRead = true
    val now = endsNow()
    rotated(known.until(now).filter(range => wanted(range.partitionId))).foreach { range =>
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

  private def endsNow(): HubPositions = {
    val now = ReadBack.sharedEnds(settings, start, checkCancelled)
    requireSameHub(now.generation)
    // What any task has sent may be lost. Only the driver finds out which rows are there.
    known.promotionUntil(now).foreach(why => throw promoted(why))
    now
  }

  private def requireSameHub(now: HubGeneration.CreatedAt): Unit =
    if (now != start.generation) throw unknowable(s"the hub was recreated at ${now.time} while the batch was sent")

  /** A region is replicated up to some event, which may be any one of a batch. Elsewhere nothing explains it. */
  private def partly(why: String) =
    if (isReplicated) promoted(s"$why, as after the promotion of a secondary region") else unknowable(why)

  private def promoted(why: String) = ExactlyOnceErrors.promoted(start.hub, writeId.toString, why)

  private def unknowable(why: String) =
    ExactlyOnceErrors.outcomeUnknown(start.hub, writeId.toString, why)

  /** Each task starts with another partition, so that tasks at the same moment do not wait for each other. */
  private def rotated(ranges: Seq[OffsetRange]): Seq[OffsetRange] = {
    val (before, first) = ranges.splitAt(if (ranges.isEmpty) 0 else task % ranges.length)
    first ++ before
  }

  private def read(range: OffsetRange, use: (Int, ReceivedEvent, EventStamp) => Unit): Unit = {
    val events =
      new EventRangeIterator(
        range,
        settings,
        ExecutorResources.get,
        context,
        reuseReceiver = false,
        start.planned,
        _ => ()
      )
    new CompleteRange(events, range, start.hub, writeId).foreach { event =>
      EventStamp.of(event, writeId, start.hub).foreach(use(range.partitionId, event, _))
    }
  }
}
