package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

/**
 * What the SQL page of Spark's UI shows of a streaming write, summed over its tasks. Spark asks for the values last
 * before a task commits, and drops those of failed tasks: so they count what a task took, which is what was confirmed
 * when it has committed. Throttling while the last batches are awaited is in the query's progress only.
 */
private[eventhubs] object EventHubsWriteMetrics {

  def all: Array[CustomMetric] =
    Array(new EventsSentMetric, new BytesSentMetric, new BatchesSentMetric, new ThrottledSendsMetric)

  def values(totals: SendTotals): Array[CustomTaskMetric] = Array(
    Value(EventsSentMetric.Name, totals.events),
    Value(BytesSentMetric.Name, totals.bytes),
    Value(BatchesSentMetric.Name, totals.batches),
    Value(ThrottledSendsMetric.Name, totals.throttled)
  )

  private final case class Value(name: String, value: Long) extends CustomTaskMetric
}

// Spark makes these by reflection, from the class name that it keeps with the metric.

final class EventsSentMetric extends CustomSumMetric {
  override def name: String = EventsSentMetric.Name
  override def description: String = "events sent to Event Hubs"
}
private[eventhubs] object EventsSentMetric { val Name = "eventsSent" }

final class BytesSentMetric extends CustomSumMetric {
  override def name: String = BytesSentMetric.Name
  override def description: String = "bytes sent to Event Hubs"
}
private[eventhubs] object BytesSentMetric { val Name = "bytesSent" }

final class BatchesSentMetric extends CustomSumMetric {
  override def name: String = BatchesSentMetric.Name
  override def description: String = "AMQP batches sent to Event Hubs"
}
private[eventhubs] object BatchesSentMetric { val Name = "batchesSent" }

final class ThrottledSendsMetric extends CustomSumMetric {
  override def name: String = ThrottledSendsMetric.Name
  override def description: String = "batches that waited because Event Hubs was busy"
}
private[eventhubs] object ThrottledSendsMetric { val Name = "throttledSends" }
