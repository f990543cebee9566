package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.NameAndPartition

/**
 * The last event that a task read of its range.
 *
 * @param offset as issued by the service, opaque
 */
private[spark] final case class LastEvent(partition: NameAndPartition, seqNo: Long, offset: String)

/**
 * The last events of the newest ranges of each partition, for checkpoints, which name an event by number and offset.
 * A batch may read a partition in several ranges, and the next batch may end before this one is committed.
 */
private[spark] final case class RecentEvents(byPartition: Map[NameAndPartition, Vector[LastEvent]]) {

  def +(event: LastEvent): RecentEvents = {
    val others = byPartition.getOrElse(event.partition, Vector.empty).filter(_.seqNo != event.seqNo)
    RecentEvents(byPartition.updated(event.partition, (others :+ event).takeRight(RecentEvents.PerPartition)))
  }

  def ++(other: RecentEvents): RecentEvents = other.byPartition.values.flatten.foldLeft(this)(_ + _)

  /** The last event that was read before `untilSeqNo`. */
  def lastBefore(partition: NameAndPartition, untilSeqNo: Long): Option[LastEvent] =
    byPartition.getOrElse(partition, Vector.empty).filter(_.seqNo < untilSeqNo).maxByOption(_.seqNo)
}

private[spark] object RecentEvents {
  val Empty: RecentEvents = RecentEvents(Map.empty)

  /** A batch splits a partition into 5 ranges at most. */
  val PerPartition = 16
}
