package org.apache.spark.sql.eventhubs.source

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.receive.CachedEventHubsReceiver
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.planning.{HubSnapshot, PartitionInfoReader}
import org.apache.spark.util.Clock

/**
 * How many bytes a batch read will have, for Spark's choice of joins: the number of events, which the hub tells, times the
 * mean size of a few of them. Where a position's number would have to be searched, it counts as all there is: too
 * large is safe, too small is not.
 */
private[eventhubs] final class RelationSize(settings: ReadSettings, resources: ExecutorResources, clock: Clock)
    extends Logging {

  import RelationSize._

  private var known = Option.empty[(Long, Option[Long])]

  /** None when it cannot be told; then the read itself tells why. Asked of the hub once a minute at most. */
  def bytes(): Option[Long] = synchronized {
    val now = clock.getTimeMillis()
    known.collect { case (asked, size) if now - asked < FreshMillis => size }.getOrElse {
      val size = ask()
      known = Some((now, size))
      size
    }
  }

  private def ask(): Option[Long] =
    try {
      val info = new PartitionInfoReader(settings, resources.clients, clock)
      val hub =
        try info.snapshot()
        finally info.close()
      val bounds = hub.bounds
      val events = bounds.map { case (partition, of) => partition -> count(settings, partition, of) }
      if (events.values.sum == 0) Some(0L)
      else sampleMean(hub, events.maxBy(_._2)._1).map(mean => (events.values.sum * (mean + RowOverheadBytes)).toLong)
    } catch {
      case NonFatal(failed) =>
        logInfo(s"The size of ${settings.connection.hub} is not known: ${failed.getMessage}")
        None
    }

  /** Mean of the bodies of the first few events to read. An exclusive reader does not try: it would disconnect itself. */
  private def sampleMean(hub: HubSnapshot, partition: Int): Option[Double] =
    Option.when(settings.ownerLevel.isEmpty) {
      val bounds = hub.bounds(partition)
      val from = math.min(start(settings, partition, bounds), bounds.latest - 1)
      val deadline = clock.getTimeMillis() + settings.connection.operationTimeout.toMillis
      val receiver = resources.receivers.acquire(settings, partition, hub.generation, from, fresh = false)
      try {
        val until = math.min(from + SampleEvents, bounds.latest)
        receiver.startRange(until, isFollowed = false)
        var events = 0
        while (receiver.nextSeqNo < until && hasNext(receiver, until, deadline)) events += 1
        if (events == 0) throw new IllegalStateException(s"no event of partition $partition came")
        receiver.metrics.bytes.toDouble / events
      } finally receiver.close()
    }

  /** Silence is the end only when there is nothing more to come, or for too long. */
  @tailrec
  private def hasNext(receiver: CachedEventHubsReceiver, until: Long, deadline: Long): Boolean =
    receiver.advance(() => false) ||
      clock.getTimeMillis() < deadline && retains(receiver.bounds(), until) && hasNext(receiver, until, deadline)
}

private[eventhubs] object RelationSize {
  private val FreshMillis = 60000L
  private val SampleEvents = 32

  /** The other columns, roughly. */
  private val RowOverheadBytes = 256

  /** Events to read of one partition, at most. */
  def count(settings: ReadSettings, partition: Int, bounds: PartitionBounds): Long = {
    val position = settings.endingPositions.getOrElse(partition, settings.endingPosition)
    val end = math.min(bounds.latest, number(position, bounds).getOrElse(bounds.latest))
    math.max(0L, end - start(settings, partition, bounds))
  }

  /** Whether the events before `until` may still come: they have not expired, and the hub is not a younger one. */
  private def retains(bounds: PartitionBounds, until: Long): Boolean = bounds.earliest < until && until <= bounds.latest

  private def start(settings: ReadSettings, partition: Int, bounds: PartitionBounds): Long = {
    val position = settings.startingPositions.getOrElse(partition, settings.startingPosition)
    math.max(bounds.earliest, number(position, bounds).getOrElse(bounds.earliest))
  }

  private def number(position: EventPosition, bounds: PartitionBounds): Option[Long] = position match {
    case EventPosition.StartOfStream => Some(bounds.earliest)
    case EventPosition.EndOfStream => Some(bounds.latest)
    case EventPosition.AtSequenceNumber(value, inclusive) => Some(if (inclusive) value else value + 1)
    case _ => None
  }
}
