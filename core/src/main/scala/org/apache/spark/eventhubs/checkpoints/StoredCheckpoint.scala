package org.apache.spark.eventhubs.checkpoints

import java.time.{Duration, Instant}

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.amqp.ReplicatedOffset
import org.apache.spark.eventhubs.generation.HubGeneration

/**
 * The checkpoint of one partition: the last event that was processed.
 *
 * @param blob    its name, for errors
 * @param seqNo   None where the writer recorded only the offset
 * @param offset  None where the writer recorded only the sequence number
 * @param written by the clock of the store; `Instant.EPOCH` where the store does not say it
 */
private[spark] final case class StoredCheckpoint(
    blob: String,
    seqNo: Option[Long],
    offset: Option[String],
    written: Instant
) {

  import StoredCheckpoint._

  /** Where reading continues. A sequence number comes first: each hub has it, and an offset need not fit the hub. */
  def position: Option[EventPosition] =
    seqNo.map(EventPosition.AtSequenceNumber(_, inclusive = false))
      .orElse(offset.map(EventPosition.fromOffset(_, isInclusive = false)))

  /** The first event after it. None where the writer recorded only the offset. */
  def nextSeqNo: Option[Long] = seqNo.map(_ + 1)

  /** The epoch of its event; None unless the hub is geo-replicated. */
  def epoch: Option[Int] = offset.flatMap(ReplicatedOffset.epoch)

  /** Whether it was written before this hub was created: it is about events of another hub that had the name. */
  def isOlderThan(hub: HubGeneration.CreatedAt): Boolean =
    written != Instant.EPOCH && written.plus(ClockDifference).isBefore(hub.time)
}

private[spark] object StoredCheckpoint {

  /** The clocks of the store and of Event Hubs may differ, and a store's times are in whole seconds. */
  private val ClockDifference: Duration = Duration.ofSeconds(5)
}
