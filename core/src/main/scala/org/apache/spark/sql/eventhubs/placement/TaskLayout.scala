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
   * @param partitions all partitions of the batch in order, including those without events. Only they decide which
   *                   partitions share a task and where it runs, so that a repeated batch has its rows in the same
   *                   tasks
   */
  def tasks(partitions: Seq[NameAndPartition], ranges: Seq[OffsetRange]): Seq[EventHubsRDDPartition] = {
    val packing = TaskPacking.of(settings.maxPartitions, partitions)
    val locate = locations.forBatch(partitions.map(packing.firstPartition).distinct)
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
    new TaskLayout(settings, new ExecutorLocations(sc, settings.preferredLocations))
}
