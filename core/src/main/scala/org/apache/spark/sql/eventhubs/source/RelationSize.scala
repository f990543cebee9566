package org.apache.spark.sql.eventhubs.source

import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.hubs.SelectedHubs
import org.apache.spark.sql.eventhubs.planning.PartitionInfoReader

/**
 * Estimates the bytes of a batch read, for Spark's choice of joins, from the number of events. A position that needs a
 * search counts as the first or the last event, because an estimate that is too large is safe.
 */
private final class RelationSize(settings: ReadSettings, resources: ExecutorResources) extends Logging {

  import RelationSize._

  /** Asks the hub. None when the number of events is unknown; the read itself then reports why. */
  def bytes(): Option[Long] =
    try Some(SelectedHubs.now(settings).map(hub => events(settings.ofHub(hub))).sum * BytesOfEvent)
    catch {
      case NonFatal(failed) =>
        logInfo(s"The size of ${settings.connection.hub} is not known: ${failed.getMessage}")
        None
    }

  /** The events to read of one hub, at most. */
  private def events(settings: ReadSettings): Long = {
    val info = PartitionInfoReader.alone(settings, resources.clients, resources.clock)
    val bounds =
      try info.snapshot().bounds
      finally info.close()
    bounds.map { case (partition, retained) => count(settings, partition, retained) }.sum
  }
}

private[eventhubs] object RelationSize {

  /**
   * The largest event outside of a Dedicated cluster. Spark takes a projection for smaller by the types of its columns:
   * `CAST(body AS STRING)` for a tenth. So with its default limit of 10 MB, at most about 100 events are broadcast.
   */
  val BytesOfEvent: Long = 1024 * 1024

  /** The bytes as they were at most a minute ago; all scans and all users of a table share the answer. */
  def estimate(settings: ReadSettings, resources: ExecutorResources): Option[Long] =
    resources.readSizes.of(settings)(new RelationSize(settings, resources).bytes())

  /** The number of events to read of one partition, at most. */
  def count(settings: ReadSettings, partition: Int, bounds: PartitionBounds): Long = {
    val start = settings.startingPositions.getOrElse(partition, settings.startingPosition)
    val end = settings.endingPositions.getOrElse(partition, settings.endingPosition)
    val from = math.max(bounds.earliest, number(start, bounds).getOrElse(bounds.earliest))
    val until = math.min(bounds.latest, number(end, bounds).getOrElse(bounds.latest))
    math.max(0L, until - from)
  }

  private def number(position: EventPosition, bounds: PartitionBounds): Option[Long] = position match {
    case EventPosition.StartOfStream => Some(bounds.earliest)
    case EventPosition.EndOfStream => Some(bounds.latest)
    case position: EventPosition.AtSequenceNumber => Some(position.first)
    case _ => None
  }
}
