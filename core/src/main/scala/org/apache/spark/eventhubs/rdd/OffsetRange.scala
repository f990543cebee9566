package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.NameAndPartition

/**
 * The events of one partition that one task reads.
 *
 * @param fromSeqNo         first event, inclusive
 * @param untilSeqNo        end, exclusive; equal to `fromSeqNo` for an empty range
 * @param preferredLocation executor that most likely has the receiver in its cache, as Spark's task location text
 * @param isFollowed        whether the next batch continues at the end; of a split range, true for the last part only
 * @param startsAtEarliest  whether `fromSeqNo` is the start `earliest` of a query that has read nothing of the
 *                          partition yet. Events that expire before its first read are then no data loss
 */
final case class OffsetRange(
    nameAndPartition: NameAndPartition,
    fromSeqNo: Long,
    untilSeqNo: Long,
    preferredLocation: Option[String] = None,
    isFollowed: Boolean = true,
    startsAtEarliest: Boolean = false
) {

  require(
    fromSeqNo <= untilSeqNo,
    s"a range of $nameAndPartition cannot end at $untilSeqNo, before it starts at $fromSeqNo"
  )

  def name: String = nameAndPartition.ehName

  def partitionId: Int = nameAndPartition.partitionId

  /** The legacy connector's name of `preferredLocation`. */
  def preferredLoc: Option[String] = preferredLocation

  /** Partition, first number, end and preferred location, as in the legacy connector. */
  def toTuple: (NameAndPartition, Long, Long, Option[String]) =
    (nameAndPartition, fromSeqNo, untilSeqNo, preferredLocation)

  /** Number of events. */
  def count: Long = untilSeqNo - fromSeqNo

  def isEmpty: Boolean = count == 0

  override def toString: String = s"OffsetRange($name, partition $partitionId, [$fromSeqNo, $untilSeqNo))"
}

object OffsetRange {

  /** Creates a range in Java, which has no default arguments. */
  def apply(name: String, partitionId: Int, fromSeqNo: Long, untilSeqNo: Long): OffsetRange =
    OffsetRange(name, partitionId, fromSeqNo, untilSeqNo, None)

  def apply(
      name: String,
      partitionId: Int,
      fromSeqNo: Long,
      untilSeqNo: Long,
      preferredLocation: Option[String]
  ): OffsetRange = new OffsetRange(NameAndPartition(name, partitionId), fromSeqNo, untilSeqNo, preferredLocation)
}
