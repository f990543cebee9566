package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.NameAndPartition

/**
 * What the tasks of one query have read so far.
 *
 * @param bytes        of the bodies
 * @param throttled    how often the service was too busy
 * @param lostByHub    events that could not be read, when `failOnDataLoss` is off
 * @param lastEnqueued by partition, the latest enqueued time of a read event, in epoch milliseconds
 * @param recent       the last events of the newest ranges
 * @param expiredAtStart events that expired before the first read of a start `earliest`; not lost
 */
private[spark] final case class ReadTotals(
    events: Long,
    bytes: Long,
    linksOpened: Long,
    throttled: Long,
    lostByHub: Map[String, Long],
    lastEnqueued: Map[NameAndPartition, Long],
    expiredAtStart: Long = 0L,
    recent: RecentEvents = RecentEvents.Empty
) {

  /** Spark keeps this text with each task, in the driver's memory and in the event log, so it must stay short. */
  override def toString: String = s"$events events, $bytes bytes, $lost lost"

  /** Over all hubs. */
  def lost: Long = lostByHub.values.sum

  def withLost(hub: String, events: Long): ReadTotals =
    copy(lostByHub = ReadTotals.added(lostByHub, Map(hub -> events)))

  def +(task: RangeReport): ReadTotals = copy(
    events = events + task.events,
    bytes = bytes + task.bytes,
    linksOpened = linksOpened + task.linksOpened,
    throttled = throttled + task.throttled,
    lastEnqueued = ReadTotals.latest(lastEnqueued, task.lastEnqueuedMillis.map(task.partition -> _).toMap),
    recent = task.lastEvent.fold(recent)(recent + _)
  )

  def +(other: ReadTotals): ReadTotals = ReadTotals(
    events + other.events,
    bytes + other.bytes,
    linksOpened + other.linksOpened,
    throttled + other.throttled,
    ReadTotals.added(lostByHub, other.lostByHub),
    ReadTotals.latest(lastEnqueued, other.lastEnqueued),
    expiredAtStart + other.expiredAtStart,
    recent ++ other.recent
  )
}

private[spark] object ReadTotals {
  val Zero: ReadTotals = ReadTotals(0, 0, 0, 0, Map.empty, Map.empty)

  private def added(one: Map[String, Long], other: Map[String, Long]): Map[String, Long] =
    other.foldLeft(one) { case (all, (hub, events)) => all.updated(hub, all.getOrElse(hub, 0L) + events) }

  private def latest(
      one: Map[NameAndPartition, Long],
      other: Map[NameAndPartition, Long]
  ): Map[NameAndPartition, Long] =
    other.foldLeft(one) { case (all, (partition, millis)) =>
      all.updated(partition, math.max(millis, all.getOrElse(partition, millis)))
    }
}
