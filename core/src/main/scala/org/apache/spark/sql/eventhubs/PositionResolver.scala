package org.apache.spark.sql.eventhubs

import java.util.concurrent.TimeoutException

import org.apache.spark.eventhubs.client.{EventHubsClient, PartitionBounds}
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
    val position = settings.startingPositions.getOrElse(partition, settings.startingPosition)
    partition -> withinRetained(partition, resolve(position, partition, of), of)
  }

  /** End, exclusive, of each partition for a batch; what has not arrived yet is not waited for. */
  def ends(bounds: Map[Int, PartitionBounds]): Map[Int, Long] = bounds.map { case (partition, of) =>
    val position = settings.endingPositions.getOrElse(partition, settings.endingPosition)
    partition -> math.min(of.latest, resolve(position, partition, of))
  }

  private def withinRetained(partition: Int, seqNo: Long, bounds: PartitionBounds): Long = {
    if (seqNo > bounds.latest)
      throw EventHubsErrors.positionBeyondEnd(settings.connection.hub, partition, seqNo, bounds.latest)
    if (seqNo < bounds.earliest)
      policy.report(
        DataLoss(
          DataLoss.Kind.Expired,
          partition,
          seqNo,
          bounds.earliest,
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
