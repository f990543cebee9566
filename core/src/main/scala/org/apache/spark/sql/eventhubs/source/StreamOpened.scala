package org.apache.spark.sql.eventhubs.source

import java.util.UUID

import org.apache.spark.scheduler.SparkListenerEvent

/** A query has opened a source of event hubs. Spark's own events do not tell what a query reads until it has read. */
private[eventhubs] final case class StreamOpened(query: UUID) extends SparkListenerEvent {

  // Event logs are read by programs that do not have this class.
  override protected[spark] def logEvent: Boolean = false
}
