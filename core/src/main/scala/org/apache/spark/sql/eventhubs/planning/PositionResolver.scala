package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.TimeoutException

import org.apache.spark.eventhubs.connection.{EventHubsClient, PartitionBounds}
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, EventHubsErrors, EventHubsException, EventPosition}

/** Positions to sequence numbers: done once, when a query starts, because "latest" and times move. */
private[eventhubs] final class PositionResolver(
    settings: ReadSettings,
    client: EventHubsClient,
    policy: DataLossPolicy
) {

  /**
   * First event to read of each partition.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException for a number that retention has passed, when data loss is
   *         an error, and for one beyond the end
   */
  def starts(bounds: Map[Int, PartitionBounds]): Map[Int, Long] = bounds.map { case (partition, of) =>
    partition -> withinRetained(partition, resolve(start(partition), partition, of), of)
  }

  /**
   * First event to read of each partition, and the end, exclusive, for a batch; what has not arrived yet is not waited for.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException as [[starts]], and for a start after its end
   */
  def batch(bounds: Map[Int, PartitionBounds]): Map[Int, (Long, Long)] = bounds.map { case (partition, of) =>
    val from = resolve(start(partition), partition, of)
    val until = resolve(end(partition), partition, of)
    requireOrder(partition, from, until, of)
    val last = math.max(from, math.min(until, of.latest))
    val first = withinRetained(partition, from, of, last)
    partition -> (first, math.max(first, last))
  }

  private def start(partition: Int): EventPosition =
    settings.startingPositions.getOrElse(partition, settings.startingPosition)

  private def end(partition: Int): EventPosition =
    settings.endingPositions.getOrElse(partition, settings.endingPosition)

  /** What retention has passed, or has not come yet, is no such mistake. */
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

  /** @param until where reading ends: what lies behind it is not lost to who does not want it */
  private def withinRetained(
      partition: Int,
      seqNo: Long,
      bounds: PartitionBounds,
      until: Long = Long.MaxValue
  ): Long = {
    if (seqNo > bounds.latest)
      throw EventHubsErrors.positionBeyondEnd(settings.connection.hub, partition, seqNo, bounds.latest)
    if (seqNo < bounds.earliest)
      policy.report(
        DataLoss(
          DataLoss.Kind.Expired,
          partition,
          seqNo,
          math.min(bounds.earliest, until),
          s"the starting position is $seqNo, the first retained event ${bounds.earliest}"
        )
      )
    math.max(seqNo, bounds.earliest)
  }

  private def resolve(position: EventPosition, partition: Int, bounds: PartitionBounds): Long = position match {
    case EventPosition.StartOfStream => bounds.earliest
    case EventPosition.EndOfStream => bounds.latest
    case EventPosition.AtSequenceNumber(value, inclusive) => if (inclusive) value else value + 1
    case _ if bounds.isEmpty || isAfterLast(position, bounds) => bounds.latest
    case _ =>
      client
        .firstSequenceNumber(
          settings.consumerGroup,
          partition,
          position,
          settings.ownerLevel,
          settings.connection.operationTimeout
        )
        // Silence is not the end: going on at the latest event would skip those that did not come in time.
        .getOrElse(throw nothingCame(position, partition))
  }

  private def nothingCame(position: EventPosition, partition: Int): EventHubsException = {
    val seconds = settings.connection.operationTimeout.toSeconds
    val silence = new TimeoutException(s"no event came for $seconds s, though the partition is not empty")
    EventHubsErrors.timeout(
      settings.connection.hub,
      s"looking for $position in partition $partition for consumer group ${settings.consumerGroup}",
      silence.getMessage,
      silence
    )
  }

  /** A receiver that starts behind the last event would wait for one that may never come. */
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
