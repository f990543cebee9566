package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{OffsetRange, OffsetRangeSplitter, TaskPacking}
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, EventHubsErrors, NameAndPartition}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * What a stream reads next: start, end, limits, and what is lost. The driver's part of reading, the same for V1 and V2;
 * called by one thread at a time.
 */
private[eventhubs] final class StreamPlanner(
    settings: ReadSettings,
    info: PartitionInfoReader,
    initialOffsets: InitialOffsetLog,
    identities: HubIdentityTracker,
    resolver: PositionResolver,
    policy: DataLossPolicy,
    locations: ExecutorLocations
) extends Logging {

  import StreamPlanner._

  private val hubName = settings.connection.hub.name
  private val splitter = new OffsetRangeSplitter(settings.maxEventsPerTask, settings.minPartitions)

  private var isPinning = false
  private var pinned = Option.empty[Map[Int, Long]]
  private var isNarrowedTold = false

  /** The engine may ask for the same batch more than once; what is lost is counted once. */
  private var told = (EventHubsSourceOffset(hubName, Map.empty), Set.empty[DataLoss])

  lazy val initialOffset: EventHubsSourceOffset =
    initialOffsets.getOrElseAdd(EventHubsSourceOffset(hubName, resolver.starts(info.snapshot().bounds)))

  /** From the next call of [[latestOffset]] on, there is no later offset than what exists at that call. */
  def pinTarget(): Unit = {
    isPinning = true
    pinned = None
  }

  /** The hub generation that [[ranges]] refer to: that of the checkpoint. A checkpoint without one adopts the hub's, in a file. */
  def resolveGeneration(): HubGeneration = identities.generationOrAdopt(info.snapshot())

  /** What all partitions hold now. */
  def bounds(): Map[Int, PartitionBounds] = info.snapshot().bounds

  /** Where all partitions end now. */
  def newest(): EventHubsSourceOffset = EventHubsSourceOffset(hubName, bounds().map(latest))

  /**
   * End of the batch that starts at `start`.
   *
   * @param limit   events over all partitions; None is all there are
   * @param permits whether to read a backlog of so many events now; if not, the end is the start. Not asked when the
   *                target is pinned, because then nothing is added to the backlog, nor after a loss.
   */
  def latestOffset(
      start: EventHubsSourceOffset,
      limit: Option[Long],
      permits: Long => Boolean = _ => true
  ): EventHubsSourceOffset = {
    val snapshot = info.snapshot()
    val from = starts(start, snapshot)
    if (isPinning && pinned.isEmpty) pinned = Some(snapshot.bounds.map(latest))
    val target = pinned.fold(snapshot.bounds.map(latest))(pin => reachable(pin, snapshot))
    val backlog = target.map { case (partition, end) => partition -> (end - from.getOrElse(partition, end)) }
    lazy val shares = limit.fold(backlog)(RateLimit.fairShare(_, backlog))
    val intact = identities.seqNosOf(start).forall { case (partition, seqNo) =>
      snapshot.unread(partition) || from.get(partition).contains(seqNo)
    }
    if (!isPinning && intact && !permits(backlog.values.sum)) start
    else {
      val ends = target.map { case (partition, end) =>
        partition -> math.min(end, from.getOrElse(partition, end) + shares(partition))
      }
      apart(EventHubsSourceOffset(hubName, kept(start, snapshot) ++ ends), start, from)
    }
  }

  /** The ranges of a batch; the same for the same offsets, also after a restart, as long as the hub retains the events. */
  def ranges(start: EventHubsSourceOffset, end: EventHubsSourceOffset): Seq[OffsetRange] = {
    val together = packer(end)
    val leaders = end.of(hubName).keys.map(together.firstPartition).toSeq.distinct.sorted
    val locate = locations.forBatch(leaders.map(NameAndPartition(hubName, _)))
    val known = identities.seqNosOf(start)
    // Only asked for when a number is needed that the offsets do not hold.
    lazy val snapshot = info.snapshot()
    val fromBeginning = identities.beginsAnewAfter(start)
    val ranges = identities.seqNosOf(end).toSeq.sortBy(_._1).map { case (partition, until) =>
      val recorded = known.getOrElse(partition, NewPartitionStart)
      val from =
        if (!fromBeginning && recorded <= until) recorded
        else math.min(until, snapshot.bounds.get(partition).fold(until)(_.earliest))
      val place = locate(NameAndPartition(hubName, together.firstPartition(partition)))
      OffsetRange(NameAndPartition(hubName, partition), from, until, place)
    }
    splitter.split(ranges)
  }

  /** Which of the ranges up to `end` share a task. */
  def packer(end: EventHubsSourceOffset): TaskPacking =
    TaskPacking.of(settings.maxPartitions, end.of(hubName).keys.toSeq.sorted)

  /** Starts a Real-Time batch: ranges from `start` on that have no end yet. */
  def openBatch(start: EventHubsSourceOffset): OpenBatch = {
    val snapshot = info.snapshot()
    val from = starts(start, snapshot, tellExpired = true).toSeq.sortBy(_._1)
    val locate = locations.forBatch(from.map { case (partition, _) => NameAndPartition(hubName, partition) })
    val ranges = from.map { case (partition, seqNo) =>
      val name = NameAndPartition(hubName, partition)
      OffsetRange(name, seqNo, Long.MaxValue, locate(name))
    }
    OpenBatch(ranges, resolveGeneration(), kept(start, snapshot))
  }

  /**
   * Ends a Real-Time batch.
   *
   * @param nextSeqNos per partition that the batch read, the first sequence number that its task did not read
   */
  def close(batch: OpenBatch, nextSeqNos: Map[Int, Long]): EventHubsSourceOffset = {
    val end = EventHubsSourceOffset(hubName, batch.unread ++ nextSeqNos)
    info.noteReached(batch.generation, nextSeqNos)
    identities.noticeBegun(end)
    end
  }

  /**
   * Where partitions were left that the query no longer reads: it goes on there when it reads them again, and reads nothing
   * twice. Numbers of a hub that is no more are of no use.
   */
  private def kept(start: EventHubsSourceOffset, snapshot: HubSnapshot): Map[Int, Long] =
    if (identities.beginsAnewAfter(start)) Map.empty
    else identities.seqNosOf(start).filter { case (partition, _) => snapshot.unread(partition) }

  /**
   * A batch that begins a new hub may end at the very numbers that the old hub ended at. The engine would see no new data
   * then, so it ends one event earlier.
   */
  private def apart(
      end: EventHubsSourceOffset,
      start: EventHubsSourceOffset,
      from: Map[Int, Long]
  ): EventHubsSourceOffset =
    if (end.json != start.json || !identities.beginsAnewAfter(start)) end
    else {
      val ends = end.of(hubName)
      ends.find { case (partition, until) => until > from.getOrElse(partition, until) }.fold(end) {
        case (partition, until) => EventHubsSourceOffset(hubName, ends.updated(partition, until - 1))
      }
    }

  /**
   * First event to read of each partition: where `start` says, unless the hub no longer has it. Tells what is lost.
   *
   * @param tellExpired whether no task will find and count the events that expired before they were read
   */
  private def starts(
      start: EventHubsSourceOffset,
      snapshot: HubSnapshot,
      tellExpired: Boolean = settings.failOnDataLoss
  ): Map[Int, Long] = {
    val known = identities.seqNosOf(start)
    noticeNarrowed(known.filter { case (partition, _) => snapshot.unread(partition) })
    (known.keySet -- snapshot.bounds.keySet -- snapshot.unread).foreach { partition =>
      val facts = s"the hub has the partitions ${snapshot.bounds.keys.toSeq.sorted.mkString(", ")}"
      report(start, DataLoss(DataLoss.Kind.PartitionRemoved, partition, known(partition), known(partition), facts))
    }
    if (identities.noticeRecreation(start, known, snapshot, policy)) snapshot.bounds.map(earliest)
    else
      snapshot.bounds.map { case (partition, bounds) =>
        partition -> startOf(start, partition, known.getOrElse(partition, NewPartitionStart), bounds, tellExpired)
      }
  }

  private def report(start: EventHubsSourceOffset, loss: DataLoss): Unit = {
    if (told._1 != start) told = (start, Set.empty)
    if (!told._2(loss)) policy.report(loss)
    told = (start, told._2 + loss)
  }

  private def noticeNarrowed(left: Map[Int, Long]): Unit = if (left.nonEmpty) {
    val error = EventHubsErrors.partitionsNarrowed(settings.connection.hub, left)
    if (settings.failOnDataLoss) throw error
    if (!isNarrowedTold) logWarning(s"Going on, because failOnDataLoss is false: ${error.getMessage}")
    isNarrowedTold = true
  }

  private def startOf(
      start: EventHubsSourceOffset,
      partition: Int,
      from: Long,
      bounds: PartitionBounds,
      tellExpired: Boolean
  ): Long =
    if (from > bounds.latest) {
      val facts = s"the next event to arrive is ${bounds.latest}"
      report(start, DataLoss(DataLoss.Kind.Recreated, partition, from, from, facts))
      bounds.earliest
    } else if (from < bounds.earliest) {
      if (tellExpired) {
        val facts = s"the first retained event is ${bounds.earliest}"
        report(start, DataLoss(DataLoss.Kind.Expired, partition, from, bounds.earliest, facts))
      }
      bounds.earliest
    } else from

  /** A pinned target, as far as the hub still reaches it: one that shrank meanwhile is reported by [[starts]]. */
  private def reachable(pin: Map[Int, Long], snapshot: HubSnapshot): Map[Int, Long] =
    pin.collect {
      case (partition, end) if snapshot.bounds.contains(partition) =>
        partition -> math.min(end, snapshot.bounds(partition).latest)
    }

  private def latest(entry: (Int, PartitionBounds)): (Int, Long) = entry._1 -> entry._2.latest
  private def earliest(entry: (Int, PartitionBounds)): (Int, Long) = entry._1 -> entry._2.earliest
}

private object StreamPlanner {

  /** A partition that was added later begins here, so that what it has lost before it was first read is noticed too. */
  private val NewPartitionStart = 0L
}
