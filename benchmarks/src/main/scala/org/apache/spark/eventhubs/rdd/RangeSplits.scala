package org.apache.spark.eventhubs.rdd

/** The connector's splitter for the benchmarks, which are outside Spark's packages. */
object RangeSplits {

  def splitter(minPartitions: Option[Int]): Seq[OffsetRange] => Seq[OffsetRange] =
    new OffsetRangeSplitter(None, minPartitions).split
}
