package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.TimeoutException

import scala.annotation.tailrec

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.connection.{EventHubsClient, PartitionBounds}
import org.apache.spark.eventhubs.options.ReadSettings

/**
 * Finds where a promoted secondary region of a geo-replicated hub continued: the first event of an epoch that the
 * checkpoint does not know. It receives single events, because the service has no question for it. Epochs never
 * decrease from event to event. A sequence number that compaction has removed has the epoch of the next event.
 */
private[eventhubs] final class EpochSearch(settings: ReadSettings, client: => EventHubsClient) {

  import EpochSearch._

  /**
   * Where a reader continues that knows the events before `position` up to the epoch `known`.
   *
   * @param bounds of the partition, whose last event has a later epoch
   * @return the first event of a later epoch, or `position` if all these events are after it
   */
  def continuation(partition: Int, position: Long, known: Int, bounds: PartitionBounds): Long = {
    val before = math.min(position, bounds.latest) - 1
    val end = if (before < bounds.earliest) bounds.earliest else endOf(partition, bounds)
    if (end <= bounds.earliest) math.min(position, bounds.latest)
    else {
      val last = epoch(partition, end - 1)
      // Compaction may have removed the events of the answer's epoch.
      val isComparable =
        bounds.epoch.exists(answered => if (end < bounds.latest) last <= answered else last == answered)
      // If events have other epochs than answers, only the last one is comparable.
      val oldest = if (isComparable) known + 1 else last
      firstNew(before, bounds.earliest)(seqNo => epoch(partition, seqNo) >= oldest)
    }
  }

  /** The sequence number after the last event. It may be lower than the partition's end in a compacted hub. */
  private def endOf(partition: Int, bounds: PartitionBounds): Long =
    if (!settings.compacted) bounds.latest
    else firstNew(bounds.latest - 1, bounds.earliest)(seqNo => epoch(partition, seqNo) == NoEvent)

  /** The first new event up to `before`, or the number after it. Each event after a new one is new. */
  private def firstNew(before: Long, earliest: Long)(isNew: Long => Boolean): Long =
    if (!isNew(before)) before + 1
    else {
      val old = lowest(before, earliest, 1)(isNew)
      first(old, before)(isNew)
    }

  /** An event before `upTo` that is old, at growing distances from it; or one before the earliest. */
  @tailrec
  private def lowest(upTo: Long, earliest: Long, distance: Long)(isNew: Long => Boolean): Long = {
    val candidate = upTo - distance
    if (candidate < earliest) earliest - 1
    else if (!isNew(candidate)) candidate
    else lowest(upTo, earliest, distance * 2)(isNew)
  }

  /** The first new event between an old and a new one. */
  @tailrec
  private def first(old: Long, later: Long)(isNew: Long => Boolean): Long =
    if (later - old <= 1) later
    else {
      val middle = old + (later - old) / 2
      if (isNew(middle)) first(old, middle)(isNew) else first(middle, later)(isNew)
    }

  /** [[NoEvent]] when no event follows, which only a compacted hub is asked. */
  private def epoch(partition: Int, seqNo: Long): Int = client
    .epochAt(
      settings.consumerGroup,
      partition,
      seqNo,
      settings.ownerLevel,
      settings.connection.operationTimeout,
      whenEmpty = Option.when(settings.compacted)(NoEvent)
    )
    .getOrElse {
      val seconds = settings.connection.operationTimeout.toSeconds
      val timeout = new TimeoutException(s"event $seqNo did not arrive in $seconds s")
      throw EventHubsErrors.timeout(
        settings.connection.hub,
        s"looking for the first event of the promoted region in partition $partition",
        timeout.getMessage,
        timeout
      )
    }
}

private object EpochSearch {

  /** Later than each epoch: what follows the last event is new. */
  private val NoEvent = Int.MaxValue
}
