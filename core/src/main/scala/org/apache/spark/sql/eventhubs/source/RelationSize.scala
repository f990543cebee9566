package org.apache.spark.sql.eventhubs.source

import scala.annotation.tailrec
import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.receive.CachedEventHubsReceiver
import org.apache.spark.eventhubs.retry.MonotonicClock
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.hubs.SelectedHubs
import org.apache.spark.sql.eventhubs.planning.{HubSnapshot, PartitionInfoReader}
import org.apache.spark.util.Clock

/**
 * The estimated bytes of a batch read, for Spark's choice of joins: the number of events times the mean size of a
 * sample. A position that needs a search counts as the first or the last event, because an estimate that is too large
 * is safe.
 */
private[eventhubs] final class RelationSize(settings: ReadSettings, resources: ExecutorResources, clock: Clock)
    extends Logging {

  import RelationSize._

  private var known = Option.empty[(Long, Option[Long])]

  /** None when it is unknown; the read itself then reports why. Queries the hub once a minute at most. */
  def bytes(): Option[Long] = synchronized {
    val now = clock.getTimeMillis()
    known.collect { case (estimated, size) if now - estimated < FreshMillis => size }.getOrElse {
      val size = estimate()
      known = Some((now, size))
      size
    }
  }

  private def estimate(): Option[Long] =
    try {
      val sizes = SelectedHubs.now(settings).map(hub => estimate(settings.ofHub(hub)))
      if (sizes.forall(_.isDefined)) Some(sizes.flatten.sum) else None
    } catch {
      case NonFatal(failed) =>
        logInfo(s"The size of ${settings.connection.hub} is not known: ${failed.getMessage}")
        None
    }

  /** Of one hub. */
  private def estimate(settings: ReadSettings): Option[Long] = {
    val info = new PartitionInfoReader(settings, resources.clients, clock)
    val hub =
      try info.snapshot()
      finally info.close()
    val bounds = hub.bounds
    val events = bounds.map { case (partition, retained) => partition -> count(settings, partition, retained) }
    if (events.values.sum == 0) Some(0L)
    else sampleMean(settings, hub, events.maxBy(_._2)._1).map { mean =>
      (events.values.sum * (mean + RowOverheadBytes)).toLong
    }
  }

  /** The mean body size of the first events to read. Not for an exclusive reader, which would disconnect itself. */
  private def sampleMean(settings: ReadSettings, hub: HubSnapshot, partition: Int): Option[Double] =
    Option.when(settings.ownerLevel.isEmpty) {
      val bounds = hub.bounds(partition)
      val from = math.min(start(settings, partition, bounds), bounds.latest - 1)
      val deadline = clock.getTimeMillis() + settings.connection.operationTimeout.toMillis
      val receiver = resources.receivers.acquire(settings, partition, hub.generation, from, fresh = false)
      try {
        val until = math.min(from + SampleEvents, bounds.latest)
        receiver.startRange(until, isFollowed = false)
        var events = 0
        while (receiver.nextSeqNo < until && hasNext(receiver, until, deadline, firstWaitMillis(receiver))) events += 1
        if (events == 0) throw new IllegalStateException(s"no event of partition $partition arrived")
        receiver.metrics.bytes.toDouble / events
      } finally receiver.close()
    }

  /** A compacted hub is asked soon whether an event follows at all. */
  private def firstWaitMillis(receiver: CachedEventHubsReceiver): Long =
    if (settings.compacted) math.min(AskAfterMillis, receiver.silenceMillis) else receiver.silenceMillis

  /**
   * Waits until the deadline, until the hub no longer retains the events, or until a compacted hub says that no event
   * follows.
   */
  @tailrec
  private def hasNext(receiver: CachedEventHubsReceiver, until: Long, deadline: Long, millis: Long): Boolean =
    receiver.advanceWithin(() => false, millis) ||
      !receiver.takeEmpty() && clock.getTimeMillis() < deadline && retains(receiver.bounds(), until) && {
        if (settings.compacted) receiver.askIfEmpty()
        hasNext(receiver, until, deadline, receiver.silenceMillis)
      }
}

private[eventhubs] object RelationSize {

  /**
   * The estimate that all scans of this JVM with these settings share. Spark creates a scan of a table several times
   * for one query, and asks each for its size several times.
   */
  def shared(settings: ReadSettings): RelationSize = synchronized {
    // Put again, so that the tables in use are the last to be evicted.
    val size = tables.remove(settings).getOrElse(new RelationSize(settings, ExecutorResources.get, new MonotonicClock))
    tables.put(settings, size)
    if (tables.size > MaxTables) tables.subtractOne(tables.head._1)
    size
  }

  private val tables = mutable.LinkedHashMap.empty[ReadSettings, RelationSize]
  private val MaxTables = 100
  private val FreshMillis = 60000L
  private val SampleEvents = 32

  /** Longer than a round trip. */
  private val AskAfterMillis = 300L

  /** A rough size of the other columns. */
  private val RowOverheadBytes = 256

  /** The number of events to read of one partition, at most. */
  def count(settings: ReadSettings, partition: Int, bounds: PartitionBounds): Long = {
    val position = settings.endingPositions.getOrElse(partition, settings.endingPosition)
    val end = math.min(bounds.latest, number(position, bounds).getOrElse(bounds.latest))
    math.max(0L, end - start(settings, partition, bounds))
  }

  /** Whether the events before `until` may still arrive: they have not expired, and the hub was not recreated. */
  private def retains(bounds: PartitionBounds, until: Long): Boolean = bounds.earliest < until && until <= bounds.latest

  private def start(settings: ReadSettings, partition: Int, bounds: PartitionBounds): Long = {
    val position = settings.startingPositions.getOrElse(partition, settings.startingPosition)
    math.max(bounds.earliest, number(position, bounds).getOrElse(bounds.earliest))
  }

  private def number(position: EventPosition, bounds: PartitionBounds): Option[Long] = position match {
    case EventPosition.StartOfStream => Some(bounds.earliest)
    case EventPosition.EndOfStream => Some(bounds.latest)
    case position: EventPosition.AtSequenceNumber => Some(position.first)
    case _ => None
  }
}
