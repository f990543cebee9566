package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.eventhubs.{DataLoss, EventHubName, EventHubsException}
import org.apache.spark.sql.eventhubs.sink.WriteIdentity

/**
 * All events of a range that is read back, or an error. A missing event may be one that this write sent: sent again,
 * its older value would come after newer ones. Other readers of a compacted hub may skip it, a read-back may not. So it
 * reads every hub as a compacted one, and counts.
 *
 * @param events at most one for each sequence number of the range
 */
private[eventhubs] final class CompleteRange[A](
    events: Iterator[A],
    range: OffsetRange,
    hub: EventHubName,
    writeId: WriteIdentity
) extends Iterator[A] {

  private var seen = 0L

  override def hasNext: Boolean = {
    val isMore = explained(events.hasNext)
    if (!isMore && seen < range.count)
      throw unknowable(s"${range.count - seen} of the events in $range were not delivered, as after compaction")
    isMore
  }

  override def next(): A = {
    seen += 1
    explained(events.next())
  }

  private def explained[B](read: => B): B =
    try read
    catch {
      case lost: EventHubsException =>
        throw lost.condition match {
          case DataLoss.Kind.FailedOver => ExactlyOnceErrors.promoted(hub, writeId.toString, lost.getMessage)
          case _: DataLoss.Kind => unknowable(s"events of $range cannot be read back (${lost.getMessage})")
          case _ => lost
        }
    }

  private def unknowable(why: String) = ExactlyOnceErrors.outcomeUnknown(hub, writeId.toString, why)
}
