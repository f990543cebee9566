package org.apache.spark.sql.eventhubs

import java.time.Duration

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.sink.EventIdStamper

/** For readers of hubs whose writers set `eventhubs.stampEvents`. */
object DuplicateEvents {

  private val Key = "__eventhubs_event_id"

  /**
   * Drops events that a writer sent again, and no others: equal events that were meant so have different ids, and events
   * without an id are all kept.
   *
   * @param events with the columns that this connector reads
   * @param within a stream remembers the ids of so much enqueued time, and drops what was sent again within it; it sets
   *               the watermark on `enqueuedTime`. A batch looks at all of its events
   */
  def drop(events: DataFrame, within: Duration): DataFrame = {
    // Text of this form is never an id. No column names the hub, of which a union has several: the time tells their
    // events apart, and within a batch the task, since hubs that are written alike have much at the same time.
    val unstamped =
      "concat_ws('/', partition, sequenceNumber, offset, unix_micros(enqueuedTime), spark_partition_id())"
    val keyed = events.selectExpr("*", s"coalesce(properties['${EventIdStamper.Property.text}'], $unstamped) as $Key")
    val distinct =
      if (!events.isStreaming) keyed.dropDuplicates(Key)
      else keyed.withWatermark("enqueuedTime", s"${within.toMillis} milliseconds").dropDuplicatesWithinWatermark(Key)
    distinct.drop(Key)
  }
}
