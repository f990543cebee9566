package org.apache.spark.sql.eventhubs

import java.time.Duration

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.sink.EventIdStamper

/** Drops duplicates when reading a hub whose writers set `eventhubs.stampEvents`. */
object DuplicateEvents {

  private val Key = "__eventhubs_event_id"
  private val ReadTime = "__eventhubs_read_time"

  /**
   * Drops the events that a writer sent again. Intended equal events have different ids and are kept, and so are all
   * events without an id.
   *
   * @param events   with the columns that this connector reads
   * @param within   a stream remembers at least the ids that it has read in this time. A batch compares all of its
   *                 events
   * @param keepLate false in a stream that needs a watermark on `enqueuedTime`, for windows or joins: then `within` is
   *                 enqueued time, and Spark drops every late event, duplicate or not. An event is late when another
   *                 one was enqueued more than `within` after it and came in an earlier micro-batch
   */
  def drop(events: DataFrame, within: Duration, keepLate: Boolean = true): DataFrame = {
    // This text is never a stamped id. No column names the hub, and a union may read several: the enqueued time keeps
    // their events apart, and within a batch the task does, because equal writers may write to two hubs at the same
    // time.
    val unstamped =
      "concat_ws('/', partition, sequenceNumber, offset, unix_micros(enqueuedTime), spark_partition_id())"
    val keyed = events.selectExpr("*", s"coalesce(properties['${EventIdStamper.Property.text}'], $unstamped) as $Key")
    val delay = s"${within.toMillis} milliseconds"
    val distinct =
      if (!events.isStreaming) keyed.dropDuplicates(Key)
      else if (!keepLate) keyed.withWatermark("enqueuedTime", delay).dropDuplicatesWithinWatermark(Key)
      else
        // The time of the micro-batch lies before the watermark only if the driver's clock goes back by `within`.
        keyed.selectExpr("*", s"current_timestamp() as $ReadTime")
          .withWatermark(ReadTime, delay).dropDuplicatesWithinWatermark(Key)
    distinct.drop(Key, ReadTime)
  }
}
