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
 * @param onPlanned      called on the driver, once, when Spark plans tasks for these events
 */
private[spark] final class EventHubsRDD[T: ClassTag](
    sc: SparkContext,
    settings: ReadSettings,
    @transient tasks: Seq[EventHubsRDDPartition],
    converter: EventConverter[T],
    reuseReceivers: Boolean,
    totals: ReadAccumulator,
    generation: HubGeneration,
    @transient onPlanned: () => Unit = () => ()
) extends RDD[T](sc, Nil)
    with HasOffsetRanges {

  override val offsetRanges: Array[OffsetRange] = tasks.flatMap(_.ranges).toArray

  /** Spark calls it once and keeps the result. */
  override def getPartitions: Array[Partition] = {
    onPlanned()
    tasks.toArray[Partition]
  }

  override def getPreferredLocations(split: Partition): Seq[String] = partOf(split).ranges.head.preferredLocation.toSeq

  override def compute(split: Partition, context: TaskContext): Iterator[T] = partOf(split) match {
    // No flatMap for a single range, because it costs time per event.
    case EventHubsRDDPartition(_, Seq(range), next) => read(range, next, context)
    case EventHubsRDDPartition(_, ranges, next) =>
      new RangeSequence(ranges)(range => read(range, next.filter(_ => range == ranges.last), context)).flatten
  }

  private def read(range: OffsetRange, next: Option[OffsetRange], context: TaskContext): Iterator[T] =
    if (range.isEmpty) Iterator.empty
    else {
      val events = RangeReader.ofTask(range, settings, context, reuseReceivers, totals, generation, next)
      val convert = converter.open(range)
      events.map(convert)
    }

  private def partOf(split: Partition): EventHubsRDDPartition = split match {
    case part: EventHubsRDDPartition => part
    case other => throw new IllegalArgumentException(s"$other is not a partition of an EventHubsRDD")
  }
}

/**
 * The ranges of one task. The RDD's partition index is not the hub's partition id, so a subset or a split range works.
 *
 * @param ranges at least one, read in order
 * @param next   what the executor probably reads after them, in another task
 */
private[spark] final case class EventHubsRDDPartition(
    override val index: Int,
    ranges: Seq[OffsetRange],
    next: Option[OffsetRange] = None
) extends Partition

private[spark] object EventHubsRDDPartition {

  /** One task for each range. */
  def each(ranges: Seq[OffsetRange]): Seq[EventHubsRDDPartition] =
    ranges.zipWithIndex.map { case (range, index) => EventHubsRDDPartition(index, Seq(range)) }
}
