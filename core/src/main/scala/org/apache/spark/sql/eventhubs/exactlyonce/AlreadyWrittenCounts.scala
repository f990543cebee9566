package org.apache.spark.sql.eventhubs.exactlyonce

import scala.collection.mutable

import org.apache.spark.Partitioner
import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, WriteIdentity}

/**
 * Counts the rows that each task must skip because they are in the hub. Rows are not shuffled: they keep their task and
 * order, as in the first attempt.
 */
private[eventhubs] object AlreadyWrittenCounts {

  /** So many different fingerprints are counted together. More could need much memory. */
  private val CountedTogether = 10000

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
      .mapPartitions(counted(_).map { case ((fingerprint, task), count) => (fingerprint, (task, count)) })
      .cogroup(found.mapPartitions(counted(_)), math.max(1, tasks))
      .flatMap { case (fingerprint, (rowsOfTasks, events)) =>
        val surplus = events.sum - rowsOfTasks.map(_._2).sum
        if (surplus > 0) throw ExactlyOnceErrors.rowsChanged(hub, writeId.toString, surplus)
        shares(rowsOfTasks, events.sum).map { case (task, count) => (task, (fingerprint, count.toInt)) }
      }
      .partitionBy(new ByTask(tasks))
      .values
  }

  /** The number of equal ones, so that a shuffle carries those and not each row. A value may come more than once. */
  def counted[A](values: Iterator[A]): Iterator[(A, Long)] =
    Iterator.continually {
      val counts = mutable.HashMap.empty[A, Long]
      while (counts.size < CountedTogether && values.hasNext) {
        val value = values.next()
        counts(value) = counts.getOrElse(value, 0L) + 1
      }
      counts
    }.takeWhile(_.nonEmpty).flatMap(_.iterator)

  /**
   * Counts as sent, of equal rows, those of the lowest task indexes.
   *
   * @param rows the index of a task with the number of its rows
   */
  def shares(rows: Iterable[(Int, Long)], found: Long): Seq[(Int, Long)] = {
    val byTask = rows.toSeq.sortBy(_._1)
    val before = byTask.map(_._2).scanLeft(0L)(_ + _)
    byTask.zip(before).collect { case ((task, count), sent) if sent < found => (task, math.min(count, found - sent)) }
  }

  /** Uses the key as the partition. */
  private final class ByTask(override val numPartitions: Int) extends Partitioner {
    override def getPartition(key: Any): Int = key match {
      case task: Int => task
      case other => throw new IllegalArgumentException(s"$other is not the index of a task")
    }
  }
}
