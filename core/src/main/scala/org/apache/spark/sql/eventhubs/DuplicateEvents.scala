package org.apache.spark.sql.eventhubs

import java.time.Duration

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.sink.EventIdStamper

/** Drops duplicates when reading a hub whose writers set `eventhubs.stampEvents`. */
object DuplicateEvents {

  private val Key = "__eventhubs_event_id"

  /**
   * Drops the events that a writer sent again. Intended equal events have different ids and are kept, and so are all
   * events without an id.
   *
   * @param events with the columns that this connector reads
   * @param within a stream keeps the ids of this much enqueued time and drops events that were sent again within it; it
   *               sets the watermark on `enqueuedTime`. A batch compares all of its events
   */
  def drop(events: DataFrame, within: Duration): DataFrame = {
    // This text is never a stamped id. No column names the hub, and a union may read several: the enqueued time keeps
    // their events apart, and within a batch the task does, because equal writers may write to two hubs at the same
    // time.
    val unstamped =
      "concat_ws('/', partition, sequenceNumber, offset, unix_micros(enqueuedTime), spark_partition_id())"
    val keyed = events.selectExpr("*", s"coalesce(properties['${EventIdStamper.Property.text}'], $unstamped) as $Key")
    val distinct =
      if (!events.isStreaming) keyed.dropDuplicates(Key)
      else keyed.withWatermark("enqueuedTime", s"${within.toMillis} milliseconds").dropDuplicatesWithinWatermark(Key)
    distinct.drop(Key)
  }
}
