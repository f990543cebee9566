package org.apache.spark.eventhubs.rdd

import scala.reflect.ClassTag

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.rdd.RDD
import org.apache.spark.{Partition, SparkContext, TaskContext}

/**
 * The events of fixed ranges of an event hub.
 *
 * @param reuseReceivers whether a receiver stays open at the end of its range, because a later range continues there
 * @param totals         collects what the tasks read
 * @param generation     the hub that the ranges were planned for
 * @param packing        which ranges share a task
 */
private[spark] final class EventHubsRDD[T: ClassTag](
    sc: SparkContext,
    settings: ReadSettings,
    val offsetRanges: Array[OffsetRange],
    converter: EventConverter[T],
    reuseReceivers: Boolean,
    totals: ReadAccumulator,
    generation: HubGeneration,
    packing: TaskPacking = TaskPacking.Off
) extends RDD[T](sc, Nil)
    with HasOffsetRanges {

  override def getPartitions: Array[Partition] =
    packing.pack(offsetRanges.toSeq).zipWithIndex.map { case (ranges, index) =>
      EventHubsRDDPartition(index, ranges): Partition
    }.toArray

  override def getPreferredLocations(split: Partition): Seq[String] = rangesOf(split).head.preferredLocation.toSeq

  override def compute(split: Partition, context: TaskContext): Iterator[T] = rangesOf(split) match {
    // No flatMap for a single range, because it costs time per event.
    case Seq(range) => read(range, context)
    case ranges => new RangeSequence(ranges)(read(_, context)).flatten
  }

  private def read(range: OffsetRange, context: TaskContext): Iterator[T] =
    if (range.isEmpty) Iterator.empty
    else {
      val events = RangeReader.ofTask(range, settings, context, reuseReceivers, totals, generation)
      val convert = converter.open(range)
      events.map(convert)
    }

  private def rangesOf(split: Partition): Seq[OffsetRange] = split match {
    case EventHubsRDDPartition(_, ranges) => ranges
    case other => throw new IllegalArgumentException(s"$other is not a partition of an EventHubsRDD")
  }
}
