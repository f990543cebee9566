package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.Partitioner
import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, WriteName}

/**
 * Which rows each task leaves out because they are in the hub. Rows are not moved for that: they stay in the order and
 * with the task that the query gives them, as in the first attempt.
 */
private[eventhubs] object AlreadyWrittenCounts {

  /**
   * @param rows  fingerprint of each row, with the index of its task
   * @param found fingerprint of each event of this batch in the hub
   * @return one partition for each task: how many of its rows of a fingerprint are there already
   */
  def divide(
      hub: EventHubName,
      name: WriteName,
      rows: RDD[(Fingerprint, Int)],
      found: RDD[Fingerprint]
  ): RDD[(Fingerprint, Int)] = {
    val tasks = rows.getNumPartitions
    rows
      .cogroup(found.map((_, ())), math.max(1, tasks))
      .flatMap { case (fingerprint, (owners, events)) =>
        if (owners.isEmpty && events.nonEmpty)
          throw EventHubsErrors.exactlyOnceRowsChanged(hub, name.toString, events.size.toLong)
        shares(owners, events.size).map { case (task, count) => (task, (fingerprint, count)) }
      }
      .partitionBy(new ByTask(tasks))
      .values
  }

  /** So many of the equal rows are there: those of the first tasks count as sent. */
  def shares(owners: Iterable[Int], found: Int): Seq[(Int, Int)] =
    if (found == 0) Nil
    else
      owners.toArray.sorted.take(found).groupBy(identity).toSeq.map { case (task, rows) => (task, rows.length) }

  /** The key is the partition. */
  private final class ByTask(override val numPartitions: Int) extends Partitioner {
    override def getPartition(key: Any): Int = key match {
      case task: Int => task
      case other => throw new IllegalArgumentException(s"$other is not the index of a task")
    }
  }
}
