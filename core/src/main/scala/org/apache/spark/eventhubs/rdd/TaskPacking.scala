package org.apache.spark.eventhubs.rdd

/**
 * Lets hub partitions share tasks: what a task costs Spark, some milliseconds, is more than reading a few thousand events.
 * Which ones share depends on nothing but the hub's partitions. So a repeated batch has its rows in the same tasks, whatever
 * cores and executors there are then, and a partition stays where its receiver is.
 *
 * @param leaders per partition that shares a task, the first partition of that task; others have a task for each range
 */
final case class TaskPacking(leaders: Map[Int, Int]) {

  /** The partition whose task this one's ranges are read by. */
  def leader(partition: Int): Int = leaders.getOrElse(partition, partition)

  /** The ranges of each task, in their order. */
  def pack(ranges: Seq[OffsetRange]): Seq[Seq[OffsetRange]] =
    if (leaders.isEmpty) ranges.map(Seq(_))
    else {
      val tasks = ranges.groupBy(range => leader(range.partitionId))
      ranges.map(range => leader(range.partitionId)).distinct.map(tasks)
    }
}

object TaskPacking {

  /** One task for each range. */
  val Off: TaskPacking = TaskPacking(Map.empty)

  /**
   * Neighbours together, and equally many partitions in each task, or one more.
   *
   * @param mostTasks  None gives each range a task of its own
   * @param partitions all that the hub has, also those without events, in their order
   */
  def of(mostTasks: Option[Int], partitions: Seq[Int]): TaskPacking =
    mostTasks.filter(_ < partitions.size).fold(Off) { most =>
      val tasks = partitions.indices.groupBy(index => (index.toLong * most / partitions.size).toInt)
      TaskPacking(tasks.values.flatMap { share =>
        share.map(index => partitions(index) -> partitions(share.head))
      }.toMap)
    }
}
