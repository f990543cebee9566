package org.apache.spark.sql.eventhubs.placement

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.rdd.OffsetRange

/**
 * Lets hub partitions share tasks, because a task costs Spark some milliseconds, more than reading a few thousand
 * events. Only the hubs' partitions decide which ones share. So a repeated batch has its rows in the same tasks with
 * any number of cores and executors, and a partition stays with its receiver.
 *
 * @param firstPartitions by partition, the first partition of the task that reads it; a partition that is not in the
 *                        map has a task for each of its ranges
 */
private[placement] final case class TaskPacking(firstPartitions: Map[NameAndPartition, NameAndPartition]) {

  /** The first partition of the task that reads this one. */
  def firstPartition(partition: NameAndPartition): NameAndPartition = firstPartitions.getOrElse(partition, partition)

  /** The ranges of each task, in order. */
  def pack(ranges: Seq[OffsetRange]): Seq[Seq[OffsetRange]] =
    if (firstPartitions.isEmpty) ranges.map(Seq(_))
    else {
      val tasks = ranges.groupBy(range => firstPartition(range.nameAndPartition))
      ranges.map(range => firstPartition(range.nameAndPartition)).distinct.map(tasks)
    }
}

private[placement] object TaskPacking {

  /**
   * For each task, the first range of the task that its executor probably runs next. An executor runs the tasks that
   * prefer it in their order, some at a time. None for the last ones, and where a partition has several ranges, which
   * are read at the same time and whose links are limited.
   *
   * @param atATime tasks that an executor runs at a time
   */
  def nextRanges(tasks: Seq[Seq[OffsetRange]], atATime: Int): Seq[Option[OffsetRange]] = {
    val partitions = tasks.flatten.map(_.nameAndPartition)
    val firsts = tasks.map(_.head)
    if (partitions.distinct.size < partitions.size) firsts.map(_ => None)
    else {
      val next = firsts.groupBy(_.preferredLocation).values.flatMap(same => same.zip(same.drop(atATime))).toMap
      firsts.map(next.get)
    }
  }

  /** One task for each range. */
  val Off: TaskPacking = TaskPacking(Map.empty)

  /**
   * Neighbouring partitions share a task. The tasks' numbers of partitions differ by one at most.
   *
   * @param maxTasks   None gives each range its own task
   * @param partitions all partitions of the hubs in order, including those without events
   */
  def of(maxTasks: Option[Int], partitions: Seq[NameAndPartition]): TaskPacking =
    maxTasks.filter(_ < partitions.size).fold(Off) { max =>
      val tasks = partitions.indices.groupBy(index => (index.toLong * max / partitions.size).toInt)
      TaskPacking(tasks.values.flatMap { share =>
        share.map(index => partitions(index) -> partitions(share.head))
      }.toMap)
    }
}
