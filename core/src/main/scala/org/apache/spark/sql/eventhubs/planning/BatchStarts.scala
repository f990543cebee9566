package org.apache.spark.sql.eventhubs.planning

import scala.annotation.tailrec

import org.apache.spark.eventhubs.checkpoints.StoredCheckpoint
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.ownership.GroupOwnership
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.eventhubs.service.{HubSnapshot, Known}
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, EventHubsErrors}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * Where a batch of a stream starts in each partition of one hub: at the stream's position, unless events were lost,
 * the hub is another one, or other consumers have read on. Reports data loss. Called by one thread at a time.
 *
 * @param initialOffset the first offset of the stream
 * @param hasRead       whether a task of this run has read an event of the partition
 */
private[eventhubs] final class BatchStarts(
    settings: ReadSettings,
    info: PartitionInfoReader,
    initialOffset: () => EventHubsSourceOffset,
    identities: HubIdentityTracker,
    policy: DataLossPolicy,
    ownership: Option[GroupOwnership],
    hasRead: Int => Boolean
) extends Logging {

  private val hubName = settings.connection.hub.name
  private val search = new EpochSearch(settings, info.client)
  private val promotions = new PromotionDetector(identities, search)
  private var isNarrowingReported = false

  /** The partitions that are reported as removed, until the hub has them again. */
  private var removed = Set.empty[Int]

  /** The partitions of which this run reads the first retained event, when it finds one. */
  @volatile private var begun = Set.empty[Int]

  /** The losses reported for the batch with this start. Spark may plan a batch more than once; a loss counts once. */
  private var reported = (EventHubsSourceOffset(hubName, Map.empty), Set.empty[DataLoss])

  /**
   * First event to read of each partition: that of `start`, unless the hub no longer retains it. Reports data loss.
   *
   * @param countExpired whether expired events are counted here; otherwise the task that reads the range counts them
   */
  def of(
      start: EventHubsSourceOffset,
      snapshot: HubSnapshot,
      countExpired: Boolean = false
  ): Map[Int, Long] = {
    identities.endWithholding(start)
    val known = identities.seqNosOf(start)
    reportNarrowing(known.filter { case (partition, _) => snapshot.unread(partition) })
    reportRemoved(start, known, snapshot)
    promotions.detect(start, known, snapshot, report(start, _))
    continueAfterOthers(start, known, snapshot)
    val restart =
      if (identities.detectRecreation(start, known, snapshot, policy)) identities.restartOf(start) else None
    // A recreated hub is read from its beginning.
    val isRecreated = restart.exists(_.isEmpty)
    if (!isRecreated) join(snapshot.bounds -- known.keySet)
    val found = snapshot.bounds.map { case (partition, bounds) =>
      def first = if (isRecreated) bounds.earliest else startOfNew(partition).getOrElse(bounds.earliest)
      val from = restart.getOrElse(known).getOrElse(partition, first)
      partition -> startOf(start, partition, from, bounds, countExpired)
    }
    ownership.foreach(_.continuesAt(found))
    found
  }

  /**
   * Where a partition starts that is not in the offsets. One that was added to the hub starts at its first number, so
   * that events that it lost before it was first read are reported too. One that the query's option left out starts at
   * its first retained event, because nothing before that was promised. None for one of those that was not read yet.
   */
  def startOfNew(partition: Int): Option[Long] =
    identities.joinedAt.get(partition).orElse(if (areLeftOut) None else Some(0L))

  /** Whether the partitions that the query does not know yet are those that its option left out, now or until now. */
  private def areLeftOut: Boolean = settings.partitions.isDefined || identities.namesPartitions

  /** Notes the starts before an offset has them, so that a repeated batch starts there too. */
  private def join(unknown: Map[Int, PartitionBounds]): Unit = {
    val joining = unknown -- identities.joinedAt.keySet
    val atEarliest = if (areLeftOut) joining.keySet else Set.empty[Int]
    val starts = joining.map { case (partition, bounds) =>
      partition -> startOfNew(partition).getOrElse(bounds.earliest)
    }
    identities.join(starts, atEarliest, named = settings.partitions.isDefined)
  }

  /** The partitions that a batch from `start` reads. */
  def partitions(start: EventHubsSourceOffset): Set[Int] = completed(info.snapshot(), start).bounds.keySet

  /** With the partitions of `start` that the hub's answer has left out, unless they are those of an earlier hub. */
  private def completed(found: HubSnapshot, start: EventHubsSourceOffset): HubSnapshot =
    if (identities.isOfAnother(found) || identities.restartOf(start).exists(_.isEmpty)) found
    else info.completed(found, identities.seqNosOf(start).keySet)

  /**
   * The hub's state, in which no single answer counts that lacks events which this query or others have read. The query
   * owns its partitions, where its options ask for that.
   *
   * @param asked  the state that the batch is planned with
   * @param target ends that an earlier answer had
   */
  def snapshotFor(
      start: EventHubsSourceOffset,
      asked: => HubSnapshot,
      target: Map[Int, Long] = Map.empty
  ): HubSnapshot = {
    val known = identities.seqNosOf(start)
    def knownOf(found: HubSnapshot): Map[Int, Known] = {
      val reached = reachedByOthers(found).collect { case (partition, (next, None)) => partition -> next }
      val before = promotions.known(start, known, found)
      // Others may have read a partition that is new to this query.
      val sure = target.foldLeft(reached) { case (all, (partition, end)) =>
        all.updated(partition, math.max(end, all.getOrElse(partition, end)))
      }
      val read = if (identities.isOfAnother(found)) Map.empty[Int, Long] else sure
      before ++ read.map { case (partition, next) =>
        def unread = Known(next, identities.in(found).flatMap(_.epochs.get(partition)))
        partition -> before.get(partition).fold(unread)(own => own.copy(next = math.max(own.next, next)))
      }
    }
    val found = info.confirmed(asked, knownOf)
    val whole = completed(found, start)
    // The answer about a partition that was left out may lag behind too.
    owned(if (whole eq found) found else info.confirmed(whole, knownOf), info.confirmed(_, knownOf))
  }

  /**
   * Claims the partitions that the query has not read yet.
   *
   * @param confirm doubts the state again: others may have read further than it says
   */
  @tailrec
  private def owned(found: HubSnapshot, confirm: HubSnapshot => HubSnapshot): HubSnapshot =
    if (ownership.exists(_.ensure(found.bounds.keySet))) owned(confirm(found), confirm) else found

  /** Skips what other consumers of the group have processed while they owned the partitions. */
  private def continueAfterOthers(start: EventHubsSourceOffset, known: Map[Int, Long], snapshot: HubSnapshot): Unit = {
    val restart = identities.restartOf(start)
    val positions = restart.getOrElse(known)
    if (others.nonEmpty && positions.nonEmpty && !identities.isOfAnother(snapshot)) {
      def isAhead(reached: (Int, Long)): Boolean = positions.get(reached._1).forall(reached._2 > _)
      val ahead = reachedByOthers(snapshot).filter { case (partition, (next, _)) => isAhead(partition -> next) }
        .map { case (partition, (next, earlier)) =>
          val bounds = snapshot.bounds(partition)
          // Promoted: the numbers from the first event of the later epoch on are those of other events.
          val from = earlier.fold(next)(search.continuation(partition, next, _, bounds))
          // Without an event of the later epoch, only the end shows it.
          partition -> (if (restart.nonEmpty && bounds.epoch.nonEmpty) math.min(from, bounds.latest) else from)
        }.filter(isAhead)
      if (ahead.nonEmpty) {
        identities.generationOrAdopt(snapshot)
        identities.continueAt(start, positions ++ ahead, Map.empty)
        logInfo(s"Other consumers have read on; next sequence numbers: ${ahead.toSeq.sorted.mkString(", ")}")
      }
    }
  }

  /** The checkpoints of the consumers before. Those of a partition that the service denies count when it is back. */
  private def others = ownership.fold(Map.empty[Int, StoredCheckpoint])(_.others)

  /**
   * The next sequence numbers by the checkpoints of the consumers before, each with its epoch if a promotion followed.
   * Those of a recreated hub's predecessor say nothing about the events that have these numbers now.
   */
  private def reachedByOthers(snapshot: HubSnapshot): Map[Int, (Long, Option[Int])] =
    for {
      (partition, checkpoint) <- others if !snapshot.generation.isAfter(checkpoint.written)
      next <- checkpoint.nextSeqNo
      bounds <- snapshot.bounds.get(partition)
    } yield partition -> (next -> bounds.earlierEpoch(checkpoint.offset))

  /**
   * Whether nothing of this partition was read before `start`, and it starts at its first retained event: by the first
   * offset of the checkpoint, or because the query's option names it since. All events of its first batches may have
   * expired before they were read.
   */
  def isUnreadEarliest(start: EventHubsSourceOffset, partition: Int): Boolean = {
    val position = identities.seqNosOf(start).get(partition)
    val joined = identities.joinedAt.get(partition)
    def first = joined.orElse(initialOffset().of(hubName).get(partition))
    def isFirst = identities.startsAtEarliest(partition) && position.orElse(joined) == first
    def isStillUnread = begun(partition) && !hasRead(partition)
    !identities.restartsAfter(start) &&
    (if (position.isEmpty && joined.isEmpty) areLeftOut else isFirst || isStillUnread)
  }

  /** A batch with these ranges runs. */
  def noteRun(ranges: Seq[OffsetRange]): Unit =
    begun ++= ranges.filter(_.startsAtEarliest).map(_.partitionId)

  private def report(start: EventHubsSourceOffset, loss: DataLoss): Unit = once(start, loss)(policy.report(loss))

  private def once(start: EventHubsSourceOffset, loss: DataLoss)(report: => Unit): Unit = {
    val known = if (reported._1 == start) reported._2 else Set.empty[DataLoss]
    if (!known(loss)) report
    reported = (start, known + loss)
  }

  /** Positions of the partitions stay in the offsets, so each is reported once. */
  private def reportRemoved(start: EventHubsSourceOffset, known: Map[Int, Long], snapshot: HubSnapshot): Unit = {
    val missing = known.keySet -- snapshot.bounds.keySet -- snapshot.unread
    (missing -- removed).toSeq.sorted.foreach { partition =>
      val facts = s"the hub has the partitions ${snapshot.bounds.keys.toSeq.sorted.mkString(", ")}"
      report(start, DataLoss(DataLoss.Kind.PartitionRemoved, partition, known(partition), known(partition), facts))
    }
    removed = missing
  }

  private def reportNarrowing(unread: Map[Int, Long]): Unit = if (unread.nonEmpty) {
    val error = EventHubsErrors.partitionsNarrowed(settings.connection.hub, unread)
    if (settings.failOnDataLoss) throw error
    if (!isNarrowingReported) logWarning(s"The query continues because failOnDataLoss is false: ${error.getMessage}")
    isNarrowingReported = true
  }

  private def startOf(
      start: EventHubsSourceOffset,
      partition: Int,
      from: Long,
      bounds: PartitionBounds,
      countExpired: Boolean
  ): Long =
    if (from > bounds.latest) {
      val facts = s"the next event to arrive is ${bounds.latest}"
      report(start, DataLoss.shrunk(partition, from, facts))
      bounds.earliest
    } else if (from < bounds.earliest) {
      val facts = s"the first retained event is ${bounds.earliest}"
      val expired = DataLoss(DataLoss.Kind.Expired, partition, from, bounds.earliest, facts)
      val isHead = isUnreadEarliest(start, partition)
      if (isHead && countExpired) once(start, expired)(policy.skipAtStart(partition, from, bounds.earliest))
      else if (!isHead && (countExpired || settings.failOnDataLoss)) report(start, expired)
      bounds.earliest
    } else from
}
