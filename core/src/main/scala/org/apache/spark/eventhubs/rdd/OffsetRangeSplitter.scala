package org.apache.spark.eventhubs.rdd

import scala.collection.mutable

/**
 * Divides ranges among tasks. Without options each range is one task, however long.
 *
 * @param maxEventsPerTask a longer range is divided into equal parts of at most this many events
 * @param minPartitions    at least this many parts in all, as far as the events and the service's limit allow; the
 *                         longest ranges are divided first
 */
final class OffsetRangeSplitter(maxEventsPerTask: Option[Long], minPartitions: Option[Int]) {

  import OffsetRangeSplitter._

  /** Parts in the order of the ranges; empty ranges disappear, and no event is lost or read twice. */
  def split(ranges: Seq[OffsetRange]): Seq[OffsetRange] = {
    val filled = ranges.filterNot(_.isEmpty)
    filled.zip(partCounts(filled)).flatMap { case (range, parts) => divide(range, parts) }
  }

  private def partCounts(ranges: Seq[OffsetRange]): Seq[Int] = {
    val bySize = ranges.map(range => atMost(range, maxEventsPerTask.fold(1L)(max => (range.count + max - 1) / max)))
    minPartitions.fold(bySize)(wanted => fill(ranges, bySize.toArray, wanted))
  }

  /** Gives one part more to the range with the largest parts until there are enough, or none can be divided further. */
  private def fill(ranges: Seq[OffsetRange], parts: Array[Int], wanted: Int): Seq[Int] = {
    val most = ranges.map(atMost(_, Long.MaxValue)).toArray
    val events = ranges.map(_.count.toDouble).toArray
    // Of equally large ones the first; a hub with 1,024 partitions is looked through once, not once for each part.
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

  /** Only the first part can go on with the cached receiver, so only it keeps the location. */
  private def divide(range: OffsetRange, parts: Int): Seq[OffsetRange] = {
    val bounds = (0 to parts).map(i => range.fromSeqNo + (BigInt(range.count) * i / parts).toLong)
    bounds.zip(bounds.tail).zipWithIndex.map { case ((from, until), index) =>
      val location = if (index == 0) range.preferredLocation else None
      range.copy(fromSeqNo = from, untilSeqNo = until, preferredLocation = location, isFollowed = index == parts - 1)
    }
  }
}

object OffsetRangeSplitter {

  /** The service allows five receivers without owner level on one partition and consumer group. */
  val MaxReceiversPerPartition = 5
}
