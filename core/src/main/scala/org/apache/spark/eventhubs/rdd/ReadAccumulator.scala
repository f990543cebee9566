package org.apache.spark.eventhubs.rdd

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.util.AccumulatorV2

/**
 * What the tasks of one query have read so far.
 *
 * @param lost         events that were gone before they could be read, where that is not an error
 * @param lastEnqueued by partition, the latest enqueued time of an event read, in epoch milliseconds
 */
final case class ReadTotals(
    events: Long,
    bytes: Long,
    linksOpened: Long,
    throttled: Long,
    lost: Long,
    lastEnqueued: Map[Int, Long]
) {

  def +(task: RangeReport): ReadTotals = copy(
    events = events + task.events,
    bytes = bytes + task.bytes,
    linksOpened = linksOpened + task.linksOpened,
    throttled = throttled + task.throttled,
    lastEnqueued = ReadTotals.latest(lastEnqueued, task.lastEnqueuedMillis.map(task.partitionId -> _).toMap)
  )

  def +(other: ReadTotals): ReadTotals = ReadTotals(
    events + other.events,
    bytes + other.bytes,
    linksOpened + other.linksOpened,
    throttled + other.throttled,
    lost + other.lost,
    ReadTotals.latest(lastEnqueued, other.lastEnqueued)
  )
}

object ReadTotals {
  val Zero: ReadTotals = ReadTotals(0, 0, 0, 0, 0, Map.empty)

  private def latest(one: Map[Int, Long], other: Map[Int, Long]): Map[Int, Long] =
    other.foldLeft(one) { case (all, (partition, millis)) =>
      all.updated(partition, math.max(millis, all.getOrElse(partition, millis)))
    }
}

/** Brings the reports of the tasks to the driver. Only those of tasks that succeed arrive. */
final class ReadAccumulator extends AccumulatorV2[RangeReport, ReadTotals] {

  // The driver plans in one thread and merges the tasks' results in another.
  private var totals = ReadTotals.Zero

  def addLost(events: Long): Unit = synchronized { totals = totals.copy(lost = totals.lost + events) }

  override def add(task: RangeReport): Unit = synchronized { totals = totals + task }

  override def merge(other: AccumulatorV2[RangeReport, ReadTotals]): Unit = {
    val more = other.value
    synchronized { totals = totals + more }
  }

  override def value: ReadTotals = synchronized(totals)

  override def isZero: Boolean = value == ReadTotals.Zero

  override def copy(): ReadAccumulator = {
    val copied = new ReadAccumulator
    copied.merge(this)
    copied
  }

  override def reset(): Unit = synchronized { totals = ReadTotals.Zero }
}

object ReadAccumulator {

  /** Under a name, which makes it visible in the UI's stages. */
  def register(sc: SparkContext, hub: EventHubName): ReadAccumulator = {
    val totals = new ReadAccumulator
    sc.register(totals, s"read from ${hub.name}")
    totals
  }
}
