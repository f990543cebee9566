package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.client.PartitionBounds
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{OffsetRange, OffsetRangeSplitter}
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, NameAndPartition, RateLimit}
import org.apache.spark.internal.Logging

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

  lazy val initialOffset: EventHubsSourceOffset =
    initialOffsets.getOrElseAdd(EventHubsSourceOffset(hubName, resolver.starts(info.snapshot().bounds)))

  /** From the next call of [[latestOffset]] on, there is no later offset than what exists at that call. */
  def pinTarget(): Unit = {
    isPinning = true
    pinned = None
  }

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
    val intact = identities.seqNosOf(start).forall { case (partition, seqNo) => from.get(partition).contains(seqNo) }
    if (!isPinning && intact && !permits(backlog.values.sum)) start
    else {
      val ends = target.map { case (partition, end) =>
        partition -> math.min(end, from.getOrElse(partition, end) + shares(partition))
      }
      apart(EventHubsSourceOffset(hubName, ends), start, from)
    }
  }

  /** The ranges of a batch; the same for the same offsets, also after a restart, as long as the hub retains the events. */
  def ranges(start: EventHubsSourceOffset, end: EventHubsSourceOffset): Seq[OffsetRange] = {
    val locate = locations.forBatch(end.of(hubName).keys.toSeq.sorted.map(NameAndPartition(hubName, _)))
    val known = identities.seqNosOf(start)
    // Only asked for when a number is needed that the offsets do not hold.
    lazy val snapshot = info.snapshot()
    val fromBeginning = identities.beginsAnewAfter(start)
    val ranges = identities.seqNosOf(end).toSeq.sortBy(_._1).map { case (partition, until) =>
      val recorded = known.getOrElse(partition, NewPartitionStart)
      val from =
        if (!fromBeginning && recorded <= until) recorded
        else math.min(until, snapshot.bounds.get(partition).fold(until)(_.earliest))
      val name = NameAndPartition(hubName, partition)
      OffsetRange(name, from, until, locate(name))
    }
    splitter.split(ranges)
  }

  /** Ranges from `start` on that have no end yet, for Real-Time Mode. */
  def openRanges(start: EventHubsSourceOffset): Seq[OffsetRange] = {
    val from = starts(start, info.snapshot()).toSeq.sortBy(_._1)
    val locate = locations.forBatch(from.map { case (partition, _) => NameAndPartition(hubName, partition) })
    from.map { case (partition, seqNo) =>
      val name = NameAndPartition(hubName, partition)
      OffsetRange(name, seqNo, Long.MaxValue, locate(name))
    }
  }

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

  /** First event to read of each partition: where `start` says, unless the hub no longer has it. Tells what is lost. */
  private def starts(start: EventHubsSourceOffset, snapshot: HubSnapshot): Map[Int, Long] = {
    val known = identities.seqNosOf(start)
    (known.keySet -- snapshot.bounds.keySet).foreach { partition =>
      val facts = s"the hub has the partitions ${snapshot.bounds.keys.toSeq.sorted.mkString(", ")}"
      policy.report(DataLoss(DataLoss.Kind.PartitionRemoved, partition, known(partition), known(partition), facts))
    }
    if (identities.noticeRecreation(start, known, snapshot, policy)) snapshot.bounds.map(earliest)
    else
      snapshot.bounds.map { case (partition, bounds) =>
        partition -> startOf(partition, known.getOrElse(partition, NewPartitionStart), bounds)
      }
  }

  private def startOf(partition: Int, from: Long, bounds: PartitionBounds): Long =
    if (from > bounds.latest) {
      val facts = s"the next event to arrive is ${bounds.latest}"
      policy.report(DataLoss(DataLoss.Kind.Recreated, partition, from, from, facts))
      bounds.earliest
    } else if (from < bounds.earliest) {
      // Where it is no error, the task that reads the range finds the same gap, and counts it.
      if (settings.failOnDataLoss) {
        val facts = s"the first retained event is ${bounds.earliest}"
        policy.report(DataLoss(DataLoss.Kind.Expired, partition, from, bounds.earliest, facts))
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
