package org.apache.spark.sql.eventhubs.metrics

import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.send.SendTotals

/** What a streaming query's last batch sent, as its `StreamingQueryProgress` shows it. Safe for use by many threads. */
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
