package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

/**
 * The metrics of a streaming write on the SQL page of Spark's UI, summed over its tasks. Spark reads the values for the
 * last time before a task commits and drops those of failed tasks, so they count all events that a task accepted; all
 * of them are confirmed when it commits. Throttling after that moment is only in the query's progress.
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

// Spark creates these by reflection, from the class name that it stores with the metric.

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
