package org.apache.spark.eventhubs.checkpoints

import java.time.Instant

import org.apache.spark.eventhubs.EventPosition

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

  /** Where reading continues. A sequence number comes first: each hub has it, and an offset need not fit the hub. */
  def position: Option[EventPosition] =
    afterSeqNo.orElse(offset.map(EventPosition.fromOffset(_, isInclusive = false)))

  /** The first event after it. None where the writer recorded only the offset. */
  def nextSeqNo: Option[Long] = afterSeqNo.map(_.first)

  private def afterSeqNo = seqNo.map(EventPosition.AtSequenceNumber(_, inclusive = false))
}
