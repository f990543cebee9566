package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.ownership.GroupOwnership
import org.apache.spark.eventhubs.rdd.{OffsetRange, OffsetRangeSplitter, TaskPacking}
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, EventHubsErrors, NameAndPartition}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * Plans what a stream reads next from one hub: start, end, limits and data loss. It is the driver's part of reading,
 * the same for the V1 and the V2 API, and is called by one thread at a time. Its offsets are those of this hub alone.
 */
private[eventhubs] final class StreamPlanner(
    settings: ReadSettings,
    info: PartitionInfoReader,
    initialOffsets: InitialOffsets,
    identities: HubIdentityTracker,
    resolver: PositionResolver,
    policy: DataLossPolicy,
    locations: ExecutorLocations,
    ownership: Option[GroupOwnership] = None
) extends Logging {

  import StreamPlanner._

  private val hubName = settings.connection.hub.name
  private val promotions = new PromotionDetector(identities, new EpochSearch(settings, info.client))
  private val splitter = new OffsetRangeSplitter(settings.maxEventsPerTask, settings.minPartitions)

  private var isAvailableNow = false

  private var availableNowTarget = Option.empty[Map[Int, Long]]
  private var isNarrowingReported = false

  /** The next sequence numbers after a claim, until a batch is planned with them. */
  private var reachedByOthers = Map.empty[Int, Long]

  /** The losses reported for the batch with this start. Spark may plan a batch more than once; a loss counts once. */
  private var reported = (EventHubsSourceOffset(hubName, Map.empty), Set.empty[DataLoss])

  lazy val initialOffset: EventHubsSourceOffset = initialOffsets.getOrElseAdd {
    val snapshot = info.snapshot(found => resolver.checkpointed(found.bounds.keySet))
    val starts = resolver.startSeqNos(snapshot.bounds)
    identities.begin(snapshot, resolver.startsAtEarliest(starts.keySet))
    EventHubsSourceOffset(hubName, starts)
  }

  /** The next call of [[latestOffset]] fixes the target of AvailableNow: the events that exist at that call. */
  def prepareForAvailableNow(): Unit = {
    isAvailableNow = true
    availableNowTarget = None
  }

  /** Where a query with the trigger AvailableNow ends; None with other triggers, and before its first batch. */
  def availableNowEnd: Option[Map[Int, Long]] = availableNowTarget

  /**
   * The generation that [[ranges]] refer to: the checkpoint's. A checkpoint without one adopts the hub's, in
   * `hub.json`.
   */
  def resolveGeneration(): HubGeneration = identities.generationOrAdopt(info.snapshot())

  /** The retained events of all partitions now. */
  def bounds(): Map[Int, PartitionBounds] = info.snapshot().bounds

  /** Asks the checkpoint store where others have read the partitions that were claimed since the last call. */
  def noteTakenOver(): Unit = ownership.foreach(owned => reachedByOthers ++= owned.takenOver())

  /** The end of all partitions now. */
  def newest(): EventHubsSourceOffset = EventHubsSourceOffset(hubName, bounds().map(latest))

  /**
   * End of the batch that starts at `start`.
   *
   * @param limit events over all partitions; None reads all
   * @param isDue whether to read a backlog of this many events now; if not, the end is the start. It is not called with
   *              AvailableNow, because that backlog does not grow, and not after a loss
   */
  def latestOffset(
      start: EventHubsSourceOffset,
      limit: Option[Long],
      isDue: Long => Boolean = _ => true
  ): EventHubsSourceOffset = {
    val backlog = backlogAfter(start)
    if (!backlog.isUrgent && !isDue(backlog.events.values.sum)) start
    else endOf(backlog, limit.fold(backlog.events)(RateLimit.fairShare(_, backlog.events)))
  }

  /** What waits after `start`. Reports data loss. */
  def backlogAfter(start: EventHubsSourceOffset): Backlog = {
    val snapshot = snapshotFor(start)
    val from = starts(start, snapshot)
    if (isAvailableNow && availableNowTarget.isEmpty) availableNowTarget = Some(snapshot.bounds.map(latest))
    val target = availableNowTarget.fold(snapshot.bounds.map(latest))(reachable(_, snapshot))
    val intact = identities.seqNosOf(start).forall { case (partition, seqNo) =>
      snapshot.unread(partition) || from.get(partition).contains(seqNo)
    }
    Backlog(start, from, target, unreadSeqNos(start, snapshot), isUrgent = isAvailableNow || !intact)
  }

  /**
   * End of a batch.
   *
   * @param shares events to read of each partition, at most
   */
  def endOf(backlog: Backlog, shares: Map[Int, Long]): EventHubsSourceOffset = {
    val ends = backlog.target.map { case (partition, end) =>
      val from = backlog.from.getOrElse(partition, end)
      // Other consumers of the group may have read past the target of AvailableNow.
      partition -> math.max(from, math.min(end, from + shares(partition)))
    }
    differentFromStart(EventHubsSourceOffset(hubName, backlog.unread ++ ends), backlog.start, backlog.from)
  }

  /** The ranges of a batch: the same for the same offsets, also after a restart, while the hub retains the events. */
  def ranges(start: EventHubsSourceOffset, end: EventHubsSourceOffset): Seq[OffsetRange] = {
    val packing = packer(end)
    val partitions = end.of(hubName).keys.toSeq.sorted.map(NameAndPartition(hubName, _))
    val locate = locations.forBatch(partitions.map(packing.firstPartition).distinct)
    splitter.split(wholeRanges(start, end, partition => locate(packing.firstPartition(partition))))
  }

  /**
   * The ranges of a batch, one for each partition, before they are divided into tasks.
   *
   * @param locate the preferred location of a partition's task
   */
  def wholeRanges(
      start: EventHubsSourceOffset,
      end: EventHubsSourceOffset,
      locate: NameAndPartition => Option[String]
  ): Seq[OffsetRange] = {
    val known = identities.seqNosOf(start)
    // Only needed for a start that is not in the offsets.
    lazy val snapshot = info.snapshot()
    val restart = identities.restartOf(start)
    identities.seqNosOf(end).toSeq.sortBy(_._1).map { case (partition, until) =>
      val planned = restart.fold(Option(known.getOrElse(partition, NewPartitionStart)))(_.get(partition))
      val from = planned.filter(_ <= until).getOrElse {
        math.min(until, snapshot.bounds.get(partition).fold(until)(_.earliest))
      }
      val name = NameAndPartition(hubName, partition)
      OffsetRange(name, from, until, locate(name), startsAtEarliest = isUnreadEarliest(start, partition))
    }
  }

  /** Which of the ranges up to `end` share a task. */
  def packer(end: EventHubsSourceOffset): TaskPacking =
    TaskPacking.of(settings.maxPartitions, end.of(hubName).keys.toSeq.sorted.map(NameAndPartition(hubName, _)))

  /** Starts a Real-Time batch: its ranges start at `start` and have no end yet. */
  def openBatch(start: EventHubsSourceOffset): OpenBatch = {
    val batch = unplacedBatch(start)
    val locate = locations.forBatch(batch.ranges.map(_.nameAndPartition))
    batch.copy(ranges = batch.ranges.map(range => range.copy(preferredLocation = locate(range.nameAndPartition))))
  }

  /** The same without preferred locations. */
  def unplacedBatch(start: EventHubsSourceOffset): OpenBatch = {
    val snapshot = snapshotFor(start)
    val ranges = starts(start, snapshot, countExpired = true).toSeq.sortBy(_._1).map { case (partition, seqNo) =>
      val name = NameAndPartition(hubName, partition)
      OffsetRange(name, seqNo, Long.MaxValue, startsAtEarliest = isUnreadEarliest(start, partition))
    }
    OpenBatch(ranges, resolveGeneration(), unreadSeqNos(start, snapshot))
  }

  /**
   * Ends a Real-Time batch.
   *
   * @param nextSeqNos for each partition of the batch, the first sequence number that its task did not read
   */
  def close(batch: OpenBatch, nextSeqNos: Map[Int, Long]): EventHubsSourceOffset = {
    val end = EventHubsSourceOffset(hubName, batch.unread ++ nextSeqNos)
    info.raiseEnds(batch.generation, nextSeqNos)
    identities.completeRestart(end)
    end
  }

  /**
   * Positions of the partitions that the query no longer reads. They stay in the offset, so that the query continues
   * there when it reads these partitions again. Positions in an older generation are dropped.
   */
  private def unreadSeqNos(start: EventHubsSourceOffset, snapshot: HubSnapshot): Map[Int, Long] =
    if (identities.restartOf(start).exists(_.isEmpty)) Map.empty
    else identities.seqNosOf(start).filter { case (partition, _) => snapshot.unread(partition) }

  /**
   * The first batch of a recreated hub may end at the same sequence numbers as the old hub. Spark would see no new
   * data, so the batch ends one event earlier.
   */
  private def differentFromStart(
      end: EventHubsSourceOffset,
      start: EventHubsSourceOffset,
      from: Map[Int, Long]
  ): EventHubsSourceOffset =
    if (end.json != start.json || !identities.restartsAfter(start)) end
    else {
      val ends = end.of(hubName)
      ends.find { case (partition, until) => until > from.getOrElse(partition, until) }.fold(end) {
        case (partition, until) => EventHubsSourceOffset(hubName, ends.updated(partition, until - 1))
      }
    }

  /**
   * First event to read of each partition: that of `start`, unless the hub no longer retains it. Reports data loss.
   *
   * @param countExpired whether expired events are counted here; otherwise the task that reads the range counts them
   */
  private def starts(
      start: EventHubsSourceOffset,
      snapshot: HubSnapshot,
      countExpired: Boolean = false
  ): Map[Int, Long] = {
    val known = identities.seqNosOf(start)
    reportNarrowing(known.filter { case (partition, _) => snapshot.unread(partition) })
    (known.keySet -- snapshot.bounds.keySet -- snapshot.unread).foreach { partition =>
      val facts = s"the hub has the partitions ${snapshot.bounds.keys.toSeq.sorted.mkString(", ")}"
      report(start, DataLoss(DataLoss.Kind.PartitionRemoved, partition, known(partition), known(partition), facts))
    }
    promotions.detect(start, known, snapshot, report(start, _))
    continueAfterOthers(start, known, snapshot)
    val restart =
      if (identities.detectRecreation(start, known, snapshot, policy)) identities.restartOf(start) else None
    val found = snapshot.bounds.map { case (partition, bounds) =>
      val from = restart.getOrElse(known).getOrElse(partition, restart.fold(NewPartitionStart)(_ => bounds.earliest))
      partition -> startOf(start, partition, from, bounds, countExpired)
    }
    ownership.foreach(_.continuesAt(found))
    found
  }

  /** The partitions that a batch from `start` reads. */
  def partitions(start: EventHubsSourceOffset): Set[Int] = completed(info.snapshot(), start).bounds.keySet

  /** With the partitions of `start` that the hub's answer has left out, unless they are those of an earlier hub. */
  private def completed(found: HubSnapshot, start: EventHubsSourceOffset): HubSnapshot =
    if (identities.isOfAnother(found) || identities.restartOf(start).exists(_.isEmpty)) found
    else info.completed(found, identities.seqNosOf(start).keySet)

  /** The hub's state, in which no single answer counts that lacks events which this query or others have read. */
  private def snapshotFor(start: EventHubsSourceOffset): HubSnapshot = {
    val known = identities.seqNosOf(start)
    noteTakenOver()
    def expectedOf(found: HubSnapshot): Map[Int, Long] = {
      val expected = promotions.stillExpected(start, known, found)
      expected ++ reachedByOthers.filter { case (partition, next) => expected.get(partition).exists(next > _) }
    }
    val found = info.snapshot(expectedOf _)
    val whole = completed(found, start)
    // The answer about a partition that was left out may lag behind too.
    if (whole eq found) found else info.confirmed(whole, expectedOf)
  }

  /** Skips what other consumers of the group have processed while they owned the partitions. */
  private def continueAfterOthers(start: EventHubsSourceOffset, known: Map[Int, Long], snapshot: HubSnapshot): Unit = {
    val positions = identities.restartOf(start).getOrElse(known)
    // The checkpoints of a recreated hub's predecessor say nothing about its events.
    if (reachedByOthers.nonEmpty && positions.nonEmpty && !identities.isOfAnother(snapshot)) {
      val ahead = reachedByOthers.filter { case (partition, next) => positions.get(partition).forall(next > _) }
      if (ahead.nonEmpty) {
        identities.generationOrAdopt(snapshot)
        identities.continueAt(start, positions ++ ahead, Map.empty)
        logInfo(s"Other consumers have read on; next sequence numbers: ${ahead.toSeq.sorted.mkString(", ")}")
      }
    }
    reachedByOthers = Map.empty
  }

  /** Whether `start` is, for this partition, the first offset of the checkpoint and was resolved from `earliest`. */
  private def isUnreadEarliest(start: EventHubsSourceOffset, partition: Int): Boolean =
    identities.startsAtEarliest(partition) && !identities.restartsAfter(start) && {
      val first = initialOffset.of(hubName).get(partition)
      first.isDefined && first == start.of(hubName).get(partition)
    }

  private def report(start: EventHubsSourceOffset, loss: DataLoss): Unit = once(start, loss)(policy.report(loss))

  private def once(start: EventHubsSourceOffset, loss: DataLoss)(report: => Unit): Unit = {
    val known = if (reported._1 == start) reported._2 else Set.empty[DataLoss]
    if (!known(loss)) report
    reported = (start, known + loss)
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

  /** The part of a target that the hub still has; [[starts]] reports a hub that shrank in the meantime. */
  private def reachable(target: Map[Int, Long], snapshot: HubSnapshot): Map[Int, Long] =
    target.collect {
      case (partition, end) if snapshot.bounds.contains(partition) =>
        partition -> math.min(end, snapshot.bounds(partition).latest)
    }

  private def latest(entry: (Int, PartitionBounds)): (Int, Long) = entry._1 -> entry._2.latest
}

private object StreamPlanner {

  /** An added partition starts here, so that events that it lost before it was first read are reported too. */
  private val NewPartitionStart = 0L
}
