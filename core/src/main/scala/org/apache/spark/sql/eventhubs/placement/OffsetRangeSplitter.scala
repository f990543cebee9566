package org.apache.spark.sql.eventhubs.placement

import scala.collection.mutable

import org.apache.spark.eventhubs.rdd.OffsetRange

/**
 * Splits ranges into parts, one for each task. Without options a range is one part.
 *
 * @param maxEventsPerTask a longer range is split into equal parts of at most this many events
 * @param minPartitions    at least this many parts in total, if the events and the service's limit allow it; the
 *                         longest ranges are split first
 */
private[eventhubs] final class OffsetRangeSplitter(maxEventsPerTask: Option[Long], minPartitions: Option[Int]) {

  import OffsetRangeSplitter._

  /** Parts in the order of the ranges. Empty ranges are left out. */
  def split(ranges: Seq[OffsetRange]): Seq[OffsetRange] = {
    val filled = ranges.filterNot(_.isEmpty)
    filled.zip(partCounts(filled)).flatMap { case (range, parts) => divide(range, parts) }
  }

  private def partCounts(ranges: Seq[OffsetRange]): Seq[Int] = {
    val bySize = ranges.map(range => atMost(range, maxEventsPerTask.fold(1L)(max => (range.count + max - 1) / max)))
    minPartitions.fold(bySize)(wanted => fill(ranges, bySize.toArray, wanted))
  }

  /** Adds a part to the range with the largest parts, until there are enough or no range can be split further. */
  private def fill(ranges: Seq[OffsetRange], parts: Array[Int], wanted: Int): Seq[Int] = {
    val most = ranges.map(atMost(_, Long.MaxValue)).toArray
    val events = ranges.map(_.count.toDouble).toArray
    // The first of equally large ones. A queue, so that a hub with 1,024 partitions is not searched for each part.
    val divisible = mutable.PriorityQueue.empty[Int](Ordering.by(i => (events(i) / parts(i), -i)))
    divisible ++= ranges.indices.filter(i => parts(i) < most(i))
    var total = parts.sum
    while (total < wanted && divisible.nonEmpty) {
      val largest = divisible.dequeue()
      parts(largest) += 1
      total += 1
      if (parts(largest) < most(largest)) divisible += largest
    }
    parts.toSeq
  }

  private def atMost(range: OffsetRange, parts: Long): Int =
    math.max(1L, Seq(parts, range.count, MaxReceiversPerPartition.toLong).min).toInt

  /** Only the first part keeps the location, because only it can continue with the cached receiver. */
  private def divide(range: OffsetRange, parts: Int): Seq[OffsetRange] = {
    val bounds = (0 to parts).map(i => range.fromSeqNo + (BigInt(range.count) * i / parts).toLong)
    bounds.zip(bounds.tail).zipWithIndex.map { case ((from, until), index) =>
      val location = if (index == 0) range.preferredLocation else None
      range.copy(fromSeqNo = from, untilSeqNo = until, preferredLocation = location, isFollowed = index == parts - 1)
    }
  }
}

private[eventhubs] object OffsetRangeSplitter {

  /** The service allows five receivers without owner level on one partition and consumer group. */
  val MaxReceiversPerPartition = 5
}
