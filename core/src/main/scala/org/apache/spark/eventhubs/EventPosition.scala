package org.apache.spark.eventhubs

import java.time.Instant

/** A position in a partition: where a query starts to read, or where a batch read ends. */
sealed abstract class EventPosition extends Product with Serializable

object EventPosition {
  case object StartOfStream extends EventPosition
  case object EndOfStream extends EventPosition

  /** @param inclusive whether the event with this sequence number is read */
  final case class AtSequenceNumber(value: Long, inclusive: Boolean) extends EventPosition {

    /** The first sequence number at the position. No event comes after the largest number. */
    private[spark] def first: Long = if (inclusive || value == Long.MaxValue) value else value + 1
  }

  /** @param value opaque text that the service issued: `x-opt-offset` of an event */
  final case class AtOffset(value: String, inclusive: Boolean) extends EventPosition

  /** The first event enqueued at (inclusive) or after the time. The service stores times in milliseconds. */
  final case class AtEnqueuedTime(value: Instant, inclusive: Boolean) extends EventPosition

  /**
   * Starts after the checkpoint of the partition in `eventhubs.checkpointStore.container`. A partition without one
   * starts at `eventhubs.checkpointStore.defaultPosition`.
   */
  case object CheckpointStore extends EventPosition

  /** The service's names for the ends of a partition. They are used in place of an offset. */
  private[spark] final val StartOffset = "-1"
  private[spark] final val EndOffset = "@latest"

  /** The legacy connector's method names. */
  def fromStartOfStream: EventPosition = StartOfStream
  def fromEndOfStream: EventPosition = EndOfStream

  def fromCheckpointStore: EventPosition = CheckpointStore

  // Overloads, not default arguments, which Java does not have.
  def fromSequenceNumber(seqNo: Long): EventPosition = fromSequenceNumber(seqNo, isInclusive = true)
  def fromSequenceNumber(seqNo: Long, isInclusive: Boolean): EventPosition = AtSequenceNumber(seqNo, isInclusive)
  def fromOffset(offset: String): EventPosition = fromOffset(offset, isInclusive = true)
  def fromOffset(offset: String, isInclusive: Boolean): EventPosition =
    PositionParser.boundary(offset).getOrElse(AtOffset(offset, isInclusive))
  def fromEnqueuedTime(enqueuedTime: Instant): EventPosition = fromEnqueuedTime(enqueuedTime, isInclusive = true)
  def fromEnqueuedTime(enqueuedTime: Instant, isInclusive: Boolean): EventPosition =
    AtEnqueuedTime(enqueuedTime, isInclusive)
}
