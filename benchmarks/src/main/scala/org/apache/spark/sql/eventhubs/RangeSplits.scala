package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.sql.eventhubs.placement.OffsetRangeSplitter

/** The connector's splitter for the benchmarks, which are outside Spark's packages. */
object RangeSplits {

  def splitter(minPartitions: Option[Int]): Seq[OffsetRange] => Seq[OffsetRange] =
    new OffsetRangeSplitter(None, minPartitions).split
}
