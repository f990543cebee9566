package org.apache.spark.sql.eventhubs.placement

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.rdd.{EventHubsRDDPartition, OffsetRange}

/**
 * Divides the ranges of a batch among tasks: the options split long ranges and let partitions share a task, and each
 * task prefers the executor that has its receivers.
 */
private[eventhubs] final class TaskLayout(settings: ReadSettings, locations: ExecutorLocations) {

  private val splitter = new OffsetRangeSplitter(settings.maxEventsPerTask, settings.minPartitions)

  /**
   * The tasks of a batch. Empty ranges are left out.
   *
   * @param partitions all partitions of the offsets in order, including those without events. Only they decide which
   *                   partitions share a task, so that a repeated batch has its rows in the same tasks
   * @param ranges     one for each partition that is read, including those without events. They decide where tasks
   *                   run: hubs that have left the query take no executor's place
   */
  def tasks(partitions: Seq[NameAndPartition], ranges: Seq[OffsetRange]): Seq[EventHubsRDDPartition] = {
    val packing = TaskPacking.of(settings.maxPartitions, partitions)
    val locate = locations.forBatch(ranges.map(range => packing.firstPartition(range.nameAndPartition)).distinct)
    val placed = ranges.map { range =>
      range.copy(preferredLocation = locate(packing.firstPartition(range.nameAndPartition)))
    }
    val tasks = packing.pack(splitter.split(placed))
    tasks.zip(TaskPacking.nextRanges(tasks, locations.tasksAtATime)).zipWithIndex.map { case ((task, next), index) =>
      EventHubsRDDPartition(index, task, next)
    }
  }

  /** The ranges of a Real-Time batch, which have no end and a task each, with their preferred locations. */
  def placed(ranges: Seq[OffsetRange]): Seq[OffsetRange] = {
    val locate = locations.forBatch(ranges.map(_.nameAndPartition))
    ranges.map(range => range.copy(preferredLocation = locate(range.nameAndPartition)))
  }
}

private[eventhubs] object TaskLayout {

  def apply(sc: SparkContext, settings: ReadSettings): TaskLayout =
    new TaskLayout(settings, ExecutorLocations.of(sc, settings.preferredLocations))
}
