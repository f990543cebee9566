package org.apache.spark.sql.eventhubs.hubs

import java.util.Locale

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{EventHubsRDDPartition, OffsetRange}
import org.apache.spark.eventhubs.{EventHubsErrors, NameAndPartition}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.placement.TaskLayout
import org.apache.spark.sql.eventhubs.planning.OpenHubBatch

/**
 * Plans what a stream reads next from all its hubs. Each hub has its own `HubPlanner`; this class divides the limits
 * and the tasks among all their partitions. It is the driver's part of reading, the same for the V1 and the V2 API, and
 * is called by one thread at a time.
 */
private[eventhubs] final class StreamPlanner(
    settings: ReadSettings,
    hubs: QueryHubs,
    start: QueryStart,
    layout: TaskLayout
) {

  def initialOffset: EventHubsSourceOffset = start.getOrElseAdd {
    EventHubsSourceOffset.Empty.updated(InParallel.map(hubs.all)(_.planner.initialOffset))
  }

  /** The next call of [[latestOffset]] fixes the target of AvailableNow: the events that exist at that call. */
  def prepareForAvailableNow(): Unit = hubs.prepareForAvailableNow()

  /** Where a query with the trigger AvailableNow ends; None with other triggers, and before its first batch. */
  def availableNowEnd: Option[Map[NameAndPartition, Long]] = {
    val ends = hubs.all.map(hub => hub -> hub.planner.availableNowEnd)
    Option.when(ends.exists(_._2.isDefined)) {
      ends.flatMap { case (hub, end) => named(hub, end.getOrElse(Map.empty)) }.toMap
    }
  }

  /** The ends of all partitions, as [[bounds]] has them. */
  def newest(): EventHubsSourceOffset = EventHubsSourceOffset.Empty.updated(hubs.inEach(_.planner.newest()).map(_._2))

  /** The positions of the hubs that the query reads: what has been read before the offset. */
  def positions(offset: EventHubsSourceOffset): Map[NameAndPartition, Long] =
    hubs.all.flatMap(hub => named(hub, hub.planner.readBefore(offset))).toMap

  /** What has been read before an offset, as an offset. It keeps the hubs that have left the query. */
  def readBefore(offset: EventHubsSourceOffset): EventHubsSourceOffset = {
    val all = hubs.all.map(hub => hub.name.toLowerCase(Locale.ROOT) -> hub).toMap
    EventHubsSourceOffset(offset.sequenceNumbers.map { case (name, seqNos) =>
      name -> (seqNos ++ all.get(name.toLowerCase(Locale.ROOT)).fold(seqNos)(_.planner.readBefore(offset)))
    })
  }

  /** The retained events of all partitions: now, or some time ago while the stream is behind. */
  def bounds(): Map[NameAndPartition, PartitionBounds] =
    hubs.inEach(_.planner.bounds()).flatMap { case (hub, bounds) => named(hub, bounds) }.toMap

  /** How old the oldest of the newest answers about the partitions is; None before the first one. */
  def answerMillis: Option[Long] = hubs.all.flatMap(_.planner.answerMillis).maxOption

  /**
   * End of the batch that starts at `start`.
   *
   * @param limit events over all partitions of all hubs; None reads all
   * @param isDue whether to read a backlog of this many events now; if not, the end is the start. It is not called with
   *              AvailableNow, because that backlog does not grow, and not after a loss
   */
  def latestOffset(
      start: EventHubsSourceOffset,
      limit: Option[Long],
      isDue: Long => Boolean = _ => true
  ): EventHubsSourceOffset = {
    requireKnown(start)
    hubs.refresh()
    hubs.reportRemoved(start)
    val found = hubs.inEach(hub => hub.planner.backlogAfter(hub.partOf(start), limit))
    val events = found.flatMap { case (hub, backlog) => named(hub, backlog.events) }.toMap
    if (!found.exists(_._2.isUrgent) && !isDue(events.values.sum)) start
    else {
      val shares = limit.fold(events)(RateLimit.fairShare(_, events))
      start.updated(found.map { case (hub, backlog) =>
        hub.planner.endOf(backlog, backlog.events.map { case (id, _) => id -> shares(NameAndPartition(hub.name, id)) })
      })
    }
  }

  /**
   * Plans a batch: the same tasks for the same offsets, also after a restart, while the hubs retain the events. A batch
   * that was planned before a hub was removed from the query still reads that hub.
   */
  def planned(start: EventHubsSourceOffset, end: EventHubsSourceOffset): PlannedBatch = {
    requireKnown(start)
    val named = end.sequenceNumbers.keys.toSeq.sorted
    val partitions = named.flatMap { hub =>
      end.of(hub).keys.toSeq.sorted.map(NameAndPartition(hubs.nameOf(hub), _))
    }
    val found = InParallel.map(named.filter(hub => hubs.includes(hub) || start.of(hub) != end.of(hub))) {
      hubs.toRead(_, start, end)
    }
    val read = found.collect { case Right(hub) =>
      val from = hub.partOf(start)
      val ranges = hub.planner.ranges(from, end.only(hub.name))
      val withheld = hub.planner.withheld(from, ranges)
      (hub, ranges.diff(withheld), withheld)
    }
    def noteRun(): Unit = {
      found.foreach(_.left.foreach(reportLost => reportLost()))
      read.foreach { case (hub, ranges, withheld) => hub.planner.noteRun(end.only(hub.name), ranges, withheld) }
    }
    PlannedBatch(layout.tasks(partitions, read.flatMap(_._2)), () => noteRun())
  }

  /**
   * The generations that `ranges` refer to: the checkpoint's. A checkpoint without one adopts the hub's, in its
   * identity file.
   */
  def resolveGeneration(ranges: Seq[OffsetRange]): HubGeneration = {
    // A query of one hub has its generation without ranges too. A repeated batch may read hubs that have left since.
    val only = if (settings.hubs.isOne) hubs.all.map(_.name) else Nil
    val names = (only ++ ranges.map(_.name)).distinct
    HubGeneration.ofHubs(names.map(name => name -> hubs(name).planner.resolveGeneration()))
  }

  /** Starts a Real-Time batch: its ranges start at `start` and have no end yet. */
  def openBatch(start: EventHubsSourceOffset): OpenBatch = {
    requireKnown(start)
    hubs.refresh()
    hubs.reportRemoved(start)
    val opened = hubs.inEach(hub => hub.planner.openBatch(hub.partOf(start)))
    val ranges = layout.placed(opened.flatMap(_._2.ranges))
    OpenBatch(start, ranges, opened.map { case (hub, batch) => hub.name -> batch })
  }

  /**
   * Ends a Real-Time batch.
   *
   * @param nextSeqNos for each partition of the batch, the first sequence number that its task did not read
   */
  def close(batch: OpenBatch, nextSeqNos: Map[NameAndPartition, Long]): EventHubsSourceOffset =
    batch.start.updated(batch.hubs.map { case (hub, opened) =>
      val ends =
        nextSeqNos.collect { case (partition, seqNo) if partition.ehName == hub => partition.partitionId -> seqNo }
      hubs(hub).planner.close(opened, ends)
    })

  /** In a legacy checkpoint only the offsets name the hub. */
  private def requireKnown(offset: EventHubsSourceOffset): Unit = {
    val names = offset.sequenceNumbers.keys
    if (start.offset.isEmpty && !names.exists(hubs.includes))
      throw EventHubsErrors.otherOffsets(hubs.metadataPath, names, settings.connection.hub)
  }

  private def named[A](hub: OpenHub, values: Map[Int, A]): Map[NameAndPartition, A] =
    values.map { case (partition, value) => NameAndPartition(hub.name, partition) -> value }
}

/**
 * A micro-batch before it runs.
 *
 * @param noteRun to be called when the batch runs; it reports the events of missing hubs as lost. Spark also plans the
 *                last batch of a V1 query again when the query starts, and does not run it
 */
private[eventhubs] final case class PlannedBatch(tasks: Seq[EventHubsRDDPartition], noteRun: () => Unit) {

  def ranges: Seq[OffsetRange] = tasks.flatMap(_.ranges)
}

/**
 * A Real-Time batch of all hubs between its start and its end.
 *
 * @param ranges those of the hubs, with their preferred locations
 */
private[eventhubs] final case class OpenBatch(
    start: EventHubsSourceOffset,
    ranges: Seq[OffsetRange],
    hubs: Seq[(String, OpenHubBatch)]
) {

  def generation: HubGeneration = HubGeneration.ofHubs(hubs.map { case (hub, batch) => hub -> batch.generation })
}
