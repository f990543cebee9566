package org.apache.spark.eventhubs.rdd

/** An RDD of events, which knows the ranges that it reads. */
trait HasOffsetRanges {
  def offsetRanges: Array[OffsetRange]
}
