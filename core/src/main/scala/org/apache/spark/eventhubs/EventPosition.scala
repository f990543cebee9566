package org.apache.spark.eventhubs

import java.time.Instant

/** A place in a partition to start reading at, or (batch) to end before. */
sealed trait EventPosition

object EventPosition {
  case object StartOfStream extends EventPosition
  case object EndOfStream extends EventPosition

  /** @param inclusive whether the event with this very number is read */
  final case class AtSequenceNumber(value: Long, inclusive: Boolean) extends EventPosition

  /** @param value an offset as the service issued it: opaque text, `x-opt-offset` of an event */
  final case class AtOffset(value: String, inclusive: Boolean) extends EventPosition

  /** The first event enqueued at (inclusive) or after the time, which the service keeps in milliseconds. */
  final case class AtEnqueuedTime(value: Instant, inclusive: Boolean) extends EventPosition

  /** The service's own names for the ends of a partition, where an offset could stand. */
  private[spark] final val StartOffset = "-1"
  private[spark] final val EndOffset = "@latest"

  /** Names that users of the legacy connector know. */
  def fromStartOfStream: EventPosition = StartOfStream
  def fromEndOfStream: EventPosition = EndOfStream
  def fromSequenceNumber(seqNo: Long, isInclusive: Boolean = true): EventPosition = AtSequenceNumber(seqNo, isInclusive)
  def fromOffset(offset: String, isInclusive: Boolean = true): EventPosition =
    PositionText.boundary(offset).getOrElse(AtOffset(offset, isInclusive))
  def fromEnqueuedTime(enqueuedTime: Instant, isInclusive: Boolean = true): EventPosition =
    AtEnqueuedTime(enqueuedTime, isInclusive)
}
