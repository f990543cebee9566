package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.rdd.EventConverter
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.hubs.RateLimit
import org.apache.spark.sql.eventhubs.source.EventHubsRowConverter

/** Gives the benchmarks access to the connector's internal steps of reading. */
object ReadRows {

  def converter(columns: Seq[String]): EventConverter[InternalRow] = EventHubsRowConverter(columns)

  def fairShare(limit: Long, backlog: Map[Int, Long]): Map[Int, Long] = RateLimit.fairShare(limit, backlog)
}
