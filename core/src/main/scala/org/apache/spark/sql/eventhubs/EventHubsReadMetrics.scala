package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.rdd.RangeReport
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

/** The metrics of a V2 read on the SQL page of Spark's UI, summed over its tasks. */
private[eventhubs] object EventHubsReadMetrics {

  def all: Array[CustomMetric] = Array(
    new EventsReadMetric,
    new BytesReadMetric,
    new ReceiveWaitMetric,
    new LinksOpenedMetric,
    new LostEventsMetric
  )

  /** The sums of one task over its ranges. */
  final case class Sums(events: Long, bytes: Long, waitedMillis: Long, linksOpened: Long) {
    def +(report: RangeReport): Sums = Sums(
      events + report.events,
      bytes + report.bytes,
      waitedMillis + report.waitedMillis,
      linksOpened + report.linksOpened
    )
  }

  val Nothing: Sums = Sums(0, 0, 0, 0)

  def values(task: Sums, lost: Long): Array[CustomTaskMetric] = Array(
    Value(EventsReadMetric.Name, task.events),
    Value(BytesReadMetric.Name, task.bytes),
    Value(ReceiveWaitMetric.Name, task.waitedMillis),
    Value(LinksOpenedMetric.Name, task.linksOpened),
    Value(LostEventsMetric.Name, lost)
  )

  private final case class Value(name: String, value: Long) extends CustomTaskMetric
}

// Spark creates these by reflection, from the class name that it stores with the metric.

final class EventsReadMetric extends CustomSumMetric {
  override def name: String = EventsReadMetric.Name
  override def description: String = "events read"
}
private[eventhubs] object EventsReadMetric { val Name = "eventsRead" }

final class BytesReadMetric extends CustomSumMetric {
  override def name: String = BytesReadMetric.Name
  override def description: String = "bytes of the bodies read"
}
private[eventhubs] object BytesReadMetric { val Name = "bytesRead" }

final class ReceiveWaitMetric extends CustomSumMetric {
  override def name: String = ReceiveWaitMetric.Name
  override def description: String = "ms waited for events, over all tasks"
}
private[eventhubs] object ReceiveWaitMetric { val Name = "receiveWaitMs" }

final class LinksOpenedMetric extends CustomSumMetric {
  override def name: String = LinksOpenedMetric.Name
  override def description: String = "links opened"
}
private[eventhubs] object LinksOpenedMetric { val Name = "linksOpened" }

final class LostEventsMetric extends CustomSumMetric {
  override def name: String = LostEventsMetric.Name
  override def description: String = "events lost before they could be read"
}
private[eventhubs] object LostEventsMetric { val Name = "lostEvents" }
