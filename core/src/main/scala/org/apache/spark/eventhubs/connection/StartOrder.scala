package org.apache.spark.eventhubs.connection

import java.time.Instant
import java.time.temporal.ChronoUnit

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.amqp.{ReceivedEvent, ReplicatedOffset}

/**
 * Compares events with the position that a link was opened at: the service may begin with older events
 * (azure-sdk-for-java#29502).
 */
private[connection] object StartOrder {

  /** False for an event that lies before the position. True where that cannot be known. */
  def isAtOrAfter(event: ReceivedEvent, position: EventPosition): Boolean = position match {
    case EventPosition.AtSequenceNumber(value, inclusive) => isAtOrAfter(event.sequenceNumber, value, inclusive)
    case EventPosition.AtEnqueuedTime(value, true) => event.enqueuedMillis >= upToMillis(value).toEpochMilli
    case EventPosition.AtEnqueuedTime(value, false) => event.enqueuedMillis > value.toEpochMilli
    case EventPosition.AtOffset(value, inclusive) => isOffsetAtOrAfter(event.offset, value, inclusive)
    case EventPosition.StartOfStream | EventPosition.EndOfStream | EventPosition.CheckpointStore => true
  }

  /** The service stores times in milliseconds: the first of them that is not before `time`. */
  def upToMillis(time: Instant): Instant = {
    val millis = time.truncatedTo(ChronoUnit.MILLIS)
    if (millis == time) time else millis.plusMillis(1)
  }

  private def isAtOrAfter(found: Long, wanted: Long, inclusive: Boolean): Boolean =
    found > wanted || inclusive && found == wanted

  /** Offsets are opaque, but two of the same kind have comparable numbers. */
  private def isOffsetAtOrAfter(found: String, wanted: String, inclusive: Boolean): Boolean =
    if (found == wanted) inclusive
    else
      (ReplicatedOffset.numbers(found), ReplicatedOffset.numbers(wanted)) match {
        case (Some(one), Some(other)) if one.length == other.length =>
          one.zip(other).collectFirst { case (a, b) if a != b => a > b }.getOrElse(inclusive)
        case _ => true
      }
}
