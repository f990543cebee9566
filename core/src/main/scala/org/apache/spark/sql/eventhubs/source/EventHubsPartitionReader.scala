package org.apache.spark.sql.eventhubs.source

import scala.annotation.tailrec

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{EventHubsRDDPartition, OffsetRange, RangeReader, RangeSequence, ReadAccumulator}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.eventhubs.EventHubsReadMetrics

/**
 * One task's share of a V2 read.
 *
 * @param ranges     at least one, read one after the other
 * @param generation the hub that the ranges refer to
 * @param next       what the executor probably reads after them, in another task
 */
private[eventhubs] final case class EventHubsInputPartition(
    ranges: Seq[OffsetRange],
    generation: HubGeneration,
    next: Option[OffsetRange] = None
) extends InputPartition {
  override def preferredLocations(): Array[String] = ranges.head.preferredLocation.toArray
}

private[source] object EventHubsInputPartition {

  def of(tasks: Seq[EventHubsRDDPartition], generation: HubGeneration): Array[InputPartition] =
    tasks.map(task => EventHubsInputPartition(task.ranges, generation, task.next): InputPartition).toArray
}

private[eventhubs] final case class EventHubsPartitionReaderFactory(
    settings: ReadSettings,
    converter: EventHubsRowConverter,
    totals: ReadAccumulator,
    reuseReceivers: Boolean = true
) extends PartitionReaderFactory {

  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = partition match {
    case part: EventHubsInputPartition =>
      new EventHubsPartitionReader(part, settings, converter, totals, reuseReceivers)
    case other => throw new IllegalArgumentException(s"$other is not a partition of an event hub")
  }
}

/** Rows of a task's ranges. The end of the task closes the receiver, also when Spark stops reading early. */
private[eventhubs] final class EventHubsPartitionReader(
    part: EventHubsInputPartition,
    settings: ReadSettings,
    converter: EventHubsRowConverter,
    totals: ReadAccumulator,
    reuseReceivers: Boolean
) extends PartitionReader[InternalRow] {

  private val lostBefore = totals.value.lost
  private val opened = new RangeSequence(part.ranges)(range => (open(range), converter.open(range)))
  private var done = EventHubsReadMetrics.Nothing
  private var events: RangeReader = _
  private var convert: ReceivedEvent => InternalRow = _
  begin()

  @tailrec
  override def next(): Boolean =
    if (events.hasNext) { events.next(); true }
    else opened.hasNext && {
      done = done + events.report
      begin()
      next()
    }

  override def get(): InternalRow = convert(events.current)

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    EventHubsReadMetrics.values(done + events.report, totals.value.lost - lostBefore)

  private def open(range: OffsetRange): RangeReader = {
    val next = part.next.filter(_ => range == part.ranges.last)
    RangeReader.ofTask(range, settings, TaskContext.get(), reuseReceivers, totals, part.generation, next)
  }

  private def begin(): Unit = {
    val (received, conversion) = opened.next()
    events = received
    convert = conversion
  }

  override def close(): Unit = ()
}
