package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.TimeoutException

import org.apache.spark.eventhubs.checkpoints.{StoredCheckpoint, StoredCheckpoints}
import org.apache.spark.eventhubs.connection.{EventHubsClient, PartitionBounds}
import org.apache.spark.eventhubs.options.{ReadOptions, ReadSettings}
import org.apache.spark.eventhubs.service.{HubSnapshot, Known}
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, EventHubsErrors, EventHubsException, EventPosition}

/** Resolves positions to sequence numbers, once when a query starts, because "latest" and times move. */
private[eventhubs] final class PositionResolver(
    settings: ReadSettings,
    client: => EventHubsClient,
    policy: DataLossPolicy,
    readStored: ReadSettings => Map[Int, StoredCheckpoint] = StoredCheckpoints.read
) {

  private lazy val stored = readStored(settings)
  private val search = new EpochSearch(settings, client)

  /**
   * First event to read of each partition.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException for a sequence number beyond the end, and, if data loss is an
   *         error, for one that retention has removed
   */
  def startSeqNos(hub: HubSnapshot): Map[Int, Long] = hub.bounds.map { case (partition, retained) =>
    partition -> withinRetained(partition, resolveStart(partition, retained, hub), retained)
  }

  /** What is known of the partitions that start at their checkpoints: others have read until there. */
  def checkpointed(hub: HubSnapshot): Map[Int, Known] =
    (for {
      (partition, bounds) <- hub.bounds.toSeq
      found <- checkpointOf(partition)
      if !hub.generation.isAfter(found.written) && bounds.earlierEpoch(found.offset).isEmpty
      next <- found.nextSeqNo
    } yield partition -> Known(next)).toMap

  /** The partitions that start at their first retained event, whatever its number. */
  def startsAtEarliest(partitions: Set[Int]): Set[Int] = partitions.filter(start(_) == EventPosition.StartOfStream)

  /**
   * First event to read of each partition and the exclusive end, for a batch. A batch does not wait for future events.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException like [[startSeqNos]], and for a start after its end
   */
  def batchBounds(hub: HubSnapshot): Map[Int, (Long, Long)] =
    hub.bounds.map { case (partition, retained) =>
      val from = resolveStart(partition, retained, hub)
      val until = resolve(end(partition), partition, retained)
      requireOrder(partition, from, until, retained)
      val last = math.max(from, math.min(until, retained.latest))
      val first = withinRetained(partition, from, retained, last)
      partition -> (first, math.max(first, last))
    }

  private def start(partition: Int): EventPosition =
    if (!startsAtCheckpoint(partition)) configuredStart(partition)
    else stored.get(partition).flatMap(_.position).orElse(settings.checkpointStore.map(_.defaultPosition))
      .getOrElse(EventPosition.StartOfStream)

  private def configuredStart(partition: Int): EventPosition =
    settings.startingPositions.getOrElse(partition, settings.startingPosition)

  private def startsAtCheckpoint(partition: Int): Boolean =
    configuredStart(partition) == EventPosition.CheckpointStore

  /** The blob that says where the partition starts. */
  private def checkpointOf(partition: Int): Option[StoredCheckpoint] =
    if (startsAtCheckpoint(partition)) stored.get(partition) else None

  private def end(partition: Int): EventPosition =
    settings.endingPositions.getOrElse(partition, settings.endingPosition)

  /** A start after its end is an error, unless retention or missing events put it there. */
  private def requireOrder(partition: Int, from: Long, until: Long, bounds: PartitionBounds): Unit = {
    def refuse(first: Any, last: Any): Nothing =
      throw EventHubsErrors.startAfterEnd(settings.connection.hub, partition, first.toString, last.toString)
    (start(partition), end(partition)) match {
      case (EventPosition.AtEnqueuedTime(first, _), EventPosition.AtEnqueuedTime(last, _)) =>
        if (first.isAfter(last)) refuse(first, last)
      case (EventPosition.StartOfStream, _) | (_, EventPosition.EndOfStream) => ()
      case (EventPosition.AtSequenceNumber(_, _), _) if from > until => refuse(s"sequence number $from", until)
      case _ if from > until && from > bounds.earliest => refuse(s"sequence number $from", until)
      case _ => ()
    }
  }

  /** @param until where reading ends: events past it were not requested, so they are not data loss */
  private def withinRetained(
      partition: Int,
      seqNo: Long,
      bounds: PartitionBounds,
      until: Long = Long.MaxValue
  ): Long = {
    if (seqNo > bounds.latest)
      throw EventHubsErrors.positionBeyondEnd(settings.connection.hub, partition, seqNo, bounds.latest)
    if (seqNo < bounds.earliest && seqNo < until)
      policy.report(
        DataLoss(
          DataLoss.Kind.Expired,
          partition,
          seqNo,
          math.min(bounds.earliest, until),
          s"the starting position is $seqNo, the first retained event ${bounds.earliest}" +
            checkpointOf(partition).fold("")(checkpoint => s", by the checkpoint in the blob '${checkpoint.blob}'")
        )
      )
    math.max(seqNo, bounds.earliest)
  }

  /**
   * A checkpoint that is older than the hub, or beyond its end, is data loss: the hub was recreated, or lost events,
   * since it was written. So is one whose number has gone to an event of a promoted region.
   */
  private def resolveStart(partition: Int, bounds: PartitionBounds, hub: HubSnapshot): Long = {
    def lost(loss: DataLoss): Long = {
      policy.report(loss)
      bounds.earliest
    }
    val checkpoint = checkpointOf(partition)
    checkpoint.filter(found => hub.generation.isAfter(found.written)).map { older =>
      val facts =
        s"the checkpoint in the blob '${older.blob}' was written at ${older.written}, before ${hub.generation}"
      lost(DataLoss.recreated(partition, older.nextSeqNo.getOrElse(0L), bounds.earliest, facts))
    }.getOrElse {
      val seqNo = resolve(start(partition), partition, bounds)
      def known = s"the checkpoint in the blob '${checkpoint.fold("")(_.blob)}' is ${seqNo - 1}"
      checkpoint.flatMap(found => bounds.earlierEpoch(found.offset)) match {
        case Some(earlier) =>
          val continuesAt = search.continuation(partition, seqNo, earlier, bounds)
          val facts = s"$known, of epoch $earlier, and new events have a later one"
          if (continuesAt < seqNo)
            policy.report(DataLoss(DataLoss.Kind.FailedOver, partition, continuesAt, continuesAt, facts))
          continuesAt
        case None if checkpoint.nonEmpty && seqNo > bounds.latest =>
          lost(DataLoss.shrunk(partition, seqNo, s"$known, and the next event to arrive is ${bounds.latest}"))
        case None => seqNo
      }
    }
  }

  private def resolve(position: EventPosition, partition: Int, bounds: PartitionBounds): Long = position match {
    case EventPosition.StartOfStream | EventPosition.CheckpointStore => bounds.earliest
    case EventPosition.EndOfStream => bounds.latest
    case position: EventPosition.AtSequenceNumber => position.first
    case EventPosition.AtOffset(offset, _) if bounds.epoch.isDefined && offset.toLongOption.isDefined =>
      throw EventHubsErrors.offsetOfReplicatedHub(settings.connection.hub, partition, position)
    // The events that came since the answer may be due, whatever their times and offsets are.
    case _ if bounds.answered.isEmpty || isAfterLast(position, bounds) => bounds.answered.latest
    case _ => lookUp(position, partition, bounds)
  }

  private def lookUp(position: EventPosition, partition: Int, bounds: PartitionBounds): Long =
    client
      .firstSequenceNumber(
        settings.consumerGroup,
        partition,
        position,
        settings.ownerLevel,
        settings.connection.operationTimeout,
        // Of a compacted hub the last event may be gone, so that a position before its time has no event.
        whenEmpty = Option.when(settings.compacted)(bounds.latest)
      )
      // A timeout is not the end: a start at the latest event would skip those that did not arrive in time.
      .getOrElse(throw noEventReceived(position, partition))

  private def noEventReceived(position: EventPosition, partition: Int): EventHubsException = {
    val seconds = settings.connection.operationTimeout.toSeconds
    val hint = ReadOptions.hintAtCompaction(settings.compacted)
    val timeout = new TimeoutException(s"no event arrived in $seconds s, although the partition is not empty$hint")
    EventHubsErrors.timeout(
      settings.connection.hub,
      s"looking for $position in partition $partition for consumer group ${settings.consumerGroup}",
      timeout.getMessage,
      timeout
    )
  }

  /** A receiver that starts after the last event would wait for one that may never arrive. */
  private def isAfterLast(position: EventPosition, bounds: PartitionBounds): Boolean = position match {
    case EventPosition.AtEnqueuedTime(time, true) => bounds.lastEnqueuedTime.isBefore(time)
    case EventPosition.AtEnqueuedTime(time, false) => !bounds.lastEnqueuedTime.isAfter(time)
    case EventPosition.AtOffset(offset, inclusive) =>
      // Offsets are opaque, but where both are numbers they are comparable.
      (offset.toLongOption, bounds.lastOffset.toLongOption) match {
        case (Some(wanted), Some(last)) => if (inclusive) wanted > last else wanted >= last
        case _ => !inclusive && offset == bounds.lastOffset
      }
    case _ => false
  }
}
