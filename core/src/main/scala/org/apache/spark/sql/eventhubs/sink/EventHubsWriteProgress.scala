package org.apache.spark.sql.eventhubs.sink

import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.send.SendTotals

/** The sink metrics of a streaming query's last batch, for its `StreamingQueryProgress`. Thread-safe. */
private[eventhubs] final class EventHubsWriteProgress {

  @volatile private var last = SendTotals.Zero

  def committed(totals: SendTotals): Unit = last = totals

  def metrics: JavaMap[String, String] = {
    val totals = last
    Map(
      "eventsSent" -> totals.events,
      "bytesSent" -> totals.bytes,
      "batchesSent" -> totals.batches,
      "throttledSends" -> totals.throttled,
      "retriedSends" -> totals.retried,
      "droppedEvents" -> totals.dropped,
      "foundEvents" -> totals.found
    ).map { case (name, value) => name -> value.toString }.asJava
  }
}
