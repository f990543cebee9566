package org.apache.spark.eventhubs.rdd

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.util.AccumulatorV2

/** Collects the reports of the tasks on the driver. Only the reports of successful tasks arrive. */
private[spark] final class ReadAccumulator extends AccumulatorV2[RangeReport, ReadTotals] {

  // The driver reads it in one thread and merges the tasks' results in another.
  private var totals = ReadTotals.Zero

  def addLost(hub: String, events: Long): Unit = synchronized { totals = totals.withLost(hub, events) }

  def addExpiredAtStart(events: Long): Unit = synchronized {
    totals = totals.copy(expiredAtStart = totals.expiredAtStart + events)
  }

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

private[spark] object ReadAccumulator {

  /** Registers it under a name, so that the UI shows it with the stages. */
  def register(sc: SparkContext, hub: EventHubName): ReadAccumulator = {
    val totals = new ReadAccumulator
    sc.register(totals, s"read from ${hub.name}")
    totals
  }
}
