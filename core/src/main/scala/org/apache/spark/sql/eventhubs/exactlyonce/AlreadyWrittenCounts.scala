package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.Partitioner
import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, WriteIdentity}

/**
 * Counts the rows that each task must skip because they are in the hub. Rows are not shuffled: they keep their task and
 * order, as in the first attempt.
 */
private[eventhubs] object AlreadyWrittenCounts {

  /**
   * @param rows  the fingerprint of each row with its task's index
   * @param found the fingerprint of each event of this batch in the hub
   * @return one partition for each task: the number of its rows with a fingerprint that are in the hub
   */
  def perTask(
      hub: EventHubName,
      writeId: WriteIdentity,
      rows: RDD[(Fingerprint, Int)],
      found: RDD[Fingerprint]
  ): RDD[(Fingerprint, Int)] = {
    val tasks = rows.getNumPartitions
    rows
      .cogroup(found.map((_, ())), math.max(1, tasks))
      .flatMap { case (fingerprint, (rowTasks, events)) =>
        if (rowTasks.isEmpty && events.nonEmpty)
          throw ExactlyOnceErrors.rowsChanged(hub, writeId.toString, events.size.toLong)
        shares(rowTasks, events.size).map { case (task, count) => (task, (fingerprint, count)) }
      }
      .partitionBy(new ByTask(tasks))
      .values
  }

  /** Of equal rows, the lowest task indexes count as sent. */
  def shares(tasks: Iterable[Int], found: Int): Seq[(Int, Int)] =
    if (found == 0) Nil
    else
      tasks.toArray.sorted.take(found).groupBy(identity).toSeq.map { case (task, rows) => (task, rows.length) }

  /** Uses the key as the partition. */
  private final class ByTask(override val numPartitions: Int) extends Partitioner {
    override def getPartition(key: Any): Int = key match {
      case task: Int => task
      case other => throw new IllegalArgumentException(s"$other is not the index of a task")
    }
  }
}
