package org.apache.spark.sql.eventhubs.planning

import scala.util.{Success, Try}

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.ownership.GroupOwnership
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.eventhubs.service.HubSnapshot
import org.apache.spark.eventhubs.{DataLossPolicy, EventPosition, NameAndPartition}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * Plans what a stream reads next from one hub: end, ranges, and by [[BatchStarts]] start and data loss. Its offsets are
 * those of this hub alone.
 */
private[eventhubs] final class HubPlanner(
    settings: ReadSettings,
    info: PartitionInfoReader,
    initialOffsets: InitialOffsets,
    identities: HubIdentityTracker,
    resolver: PositionResolver,
    policy: DataLossPolicy,
    ownership: Option[GroupOwnership] = None,
    hasRead: Int => Boolean = _ => false
) extends Logging {

  private val hubName = settings.connection.hub.name
  private val batchStarts =
    new BatchStarts(settings, info, () => initialOffset, identities, policy, ownership, hasRead)

  private var isAvailableNow = false

  private var availableNowTarget = Option.empty[Map[Int, Long]]

  /** Whether another whole batch waits after the one that was planned last. */
  private var isBehind = false

  lazy val initialOffset: EventHubsSourceOffset = initialOffsets.getOrElseAdd {
    val snapshot = info.snapshot(resolver.checkpointed(_))
    val starts = resolver.startSeqNos(snapshot)
    identities.begin(snapshot, resolver.startsAtEarliest(starts.keySet), named = settings.partitions.isDefined)
    EventHubsSourceOffset(hubName, starts)
  }

  /** The next call of [[backlogAfter]] fixes the target of AvailableNow: the events that exist at that call. */
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

  /** The retained events of all partitions, as far as they are known. */
  def bounds(): Map[Int, PartitionBounds] = info.recentSnapshot(_ => isBehind).bounds

  /** How old the oldest of the newest answers about the partitions is. */
  def answerMillis: Option[Long] = info.answerMillis

  /** The partitions that a batch from `start` reads. */
  def partitions(start: EventHubsSourceOffset): Set[Int] = batchStarts.partitions(start)

  /** What has been read before an offset: a batch may have left partitions out. Empty where the hub is not in it. */
  def readBefore(offset: EventHubsSourceOffset): Map[Int, Long] =
    if (offset.of(hubName).isEmpty) Map.empty else identities.seqNosOf(offset.only(hubName))

  /** The ends of all partitions, as [[bounds]] has them. */
  def newest(): EventHubsSourceOffset = EventHubsSourceOffset(hubName, bounds().map(latest))

  /**
   * What waits after `start`. Reports data loss.
   *
   * @param limit a backlog of this many events is enough: it may be a part of what waits. None wants all
   */
  def backlogAfter(start: EventHubsSourceOffset, limit: Option[Long]): Backlog = {
    def found =
      if (isAvailableNow && availableNowTarget.isEmpty) info.newestSnapshot()
      else info.recentSnapshot(known => limit.exists(waiting(start, known) >= _))
    val snapshot = batchStarts.snapshotFor(start, found, availableNowTarget.getOrElse(Map.empty))
    isBehind = limit.exists(waiting(start, snapshot) / 2 >= _)
    val from = batchStarts.of(start, snapshot)
    if (isAvailableNow && availableNowTarget.isEmpty) availableNowTarget = Some(snapshot.bounds.map(latest))
    val target = availableNowTarget.fold(snapshot.bounds.map(latest))(reachable(_, snapshot))
    // A hub that was recreated meanwhile has fewer events, and does not have to reach the old end.
    availableNowTarget = availableNowTarget.map(_ ++ target)
    val intact = identities.seqNosOf(start).forall { case (partition, seqNo) =>
      !snapshot.bounds.contains(partition) || from.get(partition).contains(seqNo)
    }
    Backlog(start, from, target, unreadSeqNos(start, target.keySet), isUrgent = isAvailableNow || !intact)
  }

  /** The events after `start` in this state. 0 while the target of AvailableNow is not known, and after a restart. */
  private def waiting(start: EventHubsSourceOffset, state: HubSnapshot): Long = {
    val isTargetKnown = !isAvailableNow || availableNowTarget.nonEmpty
    if (!isTargetKnown || identities.restartsAfter(start)) 0L
    else {
      val target = availableNowTarget.fold(state.bounds.map(latest))(reachable(_, state))
      val known = identities.seqNosOf(start)
      state.bounds.keysIterator.filter(known.contains).map { partition =>
        val from = math.max(known(partition), state.bounds(partition).earliest)
        math.max(0L, target.getOrElse(partition, from) - from)
      }.sum
    }
  }

  /**
   * End of a batch.
   *
   * @param shares events to read of each partition, at most
   */
  def endOf(backlog: Backlog, shares: Map[Int, Long]): EventHubsSourceOffset = {
    val ends = backlog.target.map { case (partition, end) =>
      val from = backlog.from.getOrElse(partition, end)
      // The events before the target of AvailableNow may have expired since.
      partition -> math.max(from, math.min(end, from + shares(partition)))
    }
    differentFromStart(EventHubsSourceOffset(hubName, backlog.unread ++ ends), backlog.start, backlog.from)
  }

  /** The ranges of a batch, one for each partition, before they are divided into tasks. */
  def ranges(start: EventHubsSourceOffset, end: EventHubsSourceOffset): Seq[OffsetRange] = {
    val known = identities.seqNosOf(start)
    // Only needed for a start that is not in the offsets.
    lazy val snapshot = info.snapshot()
    val starts = identities.restartOf(start).getOrElse(known)
    // The task skips what has expired, also where another planner's options no longer name the partition.
    def startOfNew(partition: Int, until: Long): Long = batchStarts.startOfNew(partition).getOrElse {
      snapshot.bounds.get(partition).fold(0L)(bounds => math.min(until, bounds.earliest))
    }
    identities.seqNosOf(end).toSeq.sortBy(_._1).map { case (partition, until) =>
      val planned = if (starts.isEmpty) None else Some(starts.getOrElse(partition, startOfNew(partition, until)))
      val from = planned.filter(_ <= until).getOrElse {
        math.min(until, snapshot.bounds.get(partition).fold(until)(_.earliest))
      }
      val name = NameAndPartition(hubName, partition)
      OffsetRange(name, from, until, startsAtEarliest = batchStarts.isUnreadEarliest(start, partition))
    }
  }

  /**
   * The ranges of a batch that it leaves out: of partitions that the query's option no longer names, and that deliver
   * nothing now. So the option is the way around a partition that is down, also when a batch with it was planned. Where
   * the partition delivers, the batch reads what it read before the restart.
   */
  def withheld(start: EventHubsSourceOffset, ranges: Seq[OffsetRange]): Seq[OffsetRange] =
    // One that starts where the batch before left partitions out needs the note of that batch.
    if (
      settings.failOnDataLoss || identities.restartsAfter(start) || identities.isWithheldAt(start) ||
      !identities.mayWithhold
    ) Nil
    else ranges.filter(range => !range.isEmpty && !settings.partitions.forall(_(range.partitionId)) && !delivers(range))

  private def delivers(range: OffsetRange): Boolean = {
    def first = info.client.firstSequenceNumber(
      settings.consumerGroup,
      range.partitionId,
      EventPosition.AtSequenceNumber(range.fromSeqNo, inclusive = true),
      settings.ownerLevel,
      settings.connection.operationTimeout,
      whenEmpty = None
    )
    Try(first) match {
      case Success(Some(_)) => true
      case nothing =>
        logWarning(
          s"The batch is read without $range and keeps the position: the partition delivers no event now, and " +
            s"'eventhubs.partitions' excludes it. ${nothing.failed.map(_.getMessage).getOrElse("")}"
        )
        false
    }
  }

  /**
   * A batch of the hub runs. Spark also plans batches that it does not run.
   *
   * @param withheld those of its ranges that it leaves out
   */
  def noteRun(end: EventHubsSourceOffset, ranges: Seq[OffsetRange], withheld: Seq[OffsetRange]): Unit = {
    identities.withhold(end, withheld.map(range => range.partitionId -> range.fromSeqNo).toMap)
    batchStarts.noteRun(ranges)
  }

  /** Starts a Real-Time batch: its ranges start at `start` and have no end yet. */
  def openBatch(start: EventHubsSourceOffset): OpenHubBatch = {
    val snapshot = batchStarts.snapshotFor(start, info.recentSnapshot())
    val ranges =
      batchStarts.of(start, snapshot, countExpired = true).toSeq.sortBy(_._1).map { case (partition, seqNo) =>
        val name = NameAndPartition(hubName, partition)
        OffsetRange(name, seqNo, Long.MaxValue, startsAtEarliest = batchStarts.isUnreadEarliest(start, partition))
      }
    batchStarts.noteRun(ranges)
    OpenHubBatch(ranges, resolveGeneration(), unreadSeqNos(start, ranges.map(_.partitionId).toSet))
  }

  /**
   * Ends a Real-Time batch.
   *
   * @param nextSeqNos for each partition of the batch, the first sequence number that its task did not read
   */
  def close(batch: OpenHubBatch, nextSeqNos: Map[Int, Long]): EventHubsSourceOffset = {
    val end = EventHubsSourceOffset(hubName, batch.unread ++ nextSeqNos)
    info.prove(batch.generation, nextSeqNos)
    identities.completeRestart(end)
    identities.completeWithheld(end)
    end
  }

  /**
   * Positions of the partitions that a batch does not read: those that the query's options no longer name, and those
   * that the service denies. They stay in the offset, so that the query continues there when it reads these partitions
   * again. Positions in an older generation are dropped.
   *
   * @param read the partitions that the batch reads
   */
  private def unreadSeqNos(start: EventHubsSourceOffset, read: Set[Int]): Map[Int, Long] = {
    val restart = identities.restartOf(start)
    if (restart.exists(_.isEmpty)) Map.empty
    else (identities.seqNosOf(start) ++ restart.getOrElse(Map.empty)) -- read
  }

  /**
   * The first batch of a recreated hub may end at the same sequence numbers as the old hub, and one after withheld
   * events at the same as the batch before. Spark would see no new data, so the batch ends one event earlier.
   */
  private def differentFromStart(
      end: EventHubsSourceOffset,
      start: EventHubsSourceOffset,
      from: Map[Int, Long]
  ): EventHubsSourceOffset =
    if (end.json != start.json || !identities.restartsAfter(start) && !identities.isWithheldAt(start)) end
    else {
      val ends = end.of(hubName)
      ends.find { case (partition, until) => until > from.getOrElse(partition, until) }.fold(end) {
        case (partition, until) => EventHubsSourceOffset(hubName, ends.updated(partition, until - 1))
      }
    }

  /** The part of a target that the hub still has; [[BatchStarts]] reports a hub that shrank in the meantime. */
  private def reachable(target: Map[Int, Long], snapshot: HubSnapshot): Map[Int, Long] =
    target.collect {
      case (partition, end) if snapshot.bounds.contains(partition) =>
        partition -> math.min(end, snapshot.bounds(partition).latest)
    }

  private def latest(entry: (Int, PartitionBounds)): (Int, Long) = entry._1 -> entry._2.latest
}
