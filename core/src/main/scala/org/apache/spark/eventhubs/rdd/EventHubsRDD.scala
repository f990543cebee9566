package org.apache.spark.eventhubs.rdd

import scala.reflect.ClassTag

import org.apache.spark.eventhubs.client.HubScope
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.rdd.RDD
import org.apache.spark.{Partition, SparkContext, TaskContext}

/**
 * Fixed ranges of an event hub, one task each.
 *
 * @param reuseReceivers whether a receiver stays open at the end of its range, because another range goes on there
 * @param totals         takes note of what the tasks read
 * @param scope          the hub that the ranges were planned for
 */
final class EventHubsRDD[T: ClassTag](
    sc: SparkContext,
    settings: ReadSettings,
    val offsetRanges: Array[OffsetRange],
    converter: EventConverter[T],
    reuseReceivers: Boolean,
    totals: ReadAccumulator,
    scope: HubScope
) extends RDD[T](sc, Nil)
    with HasOffsetRanges {

  override def getPartitions: Array[Partition] =
    offsetRanges.zipWithIndex.map { case (range, index) => EventHubsRDDPartition(index, range) }

  override def getPreferredLocations(split: Partition): Seq[String] = rangeOf(split).preferredLocation.toSeq

  override def compute(split: Partition, context: TaskContext): Iterator[T] = {
    val range = rangeOf(split)
    if (range.isEmpty) Iterator.empty
    else {
      val events = RangeEvents.ofTask(range, settings, context, reuseReceivers, totals, scope)
      val convert = converter.open(range)
      events.map(convert)
    }
  }

  private def rangeOf(split: Partition): OffsetRange = split match {
    case EventHubsRDDPartition(_, range) => range
    case other => throw new IllegalArgumentException(s"$other is not a partition of an EventHubsRDD")
  }
}

/** What an RDD of events was made of. */
trait HasOffsetRanges {
  def offsetRanges: Array[OffsetRange]
}
