package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.TaskContext
import org.apache.spark.sql.Row
import org.apache.spark.sql.eventhubs.source.{ReadHubFixture, Seen}
import testkit.TestSuite

/** A batch read with more partitions than cores opens the links of its next tasks ahead. */
class LinkAheadSuite extends TestSuite with ReadHubFixture {

  private val perPartition = 3000

  private def tasksAtATime: Int = spark.sparkContext.defaultParallelism

  private def isRead(name: String, partition: Int): Boolean =
    localHub.amqp.readers.exists(reader => reader.hub == name && reader.partition == partition.toString)

  /** One partition more than tasks run at a time. Only the first task has a next one. */
  private def filled(): String = {
    val name = newHub(tasksAtATime + 1)
    send(name, Seq.fill(tasksAtATime + 1)(perPartition): _*)
    name
  }

  test("the link of the next task opens when a task has read half of its range, and that task reads every event") {
    val name = filled()
    val next = tasksAtATime
    val first = new CountDownLatch(1)
    LinkAheadSuite.onHalf = () =>
      try eventually("the link of the next task is open")(isRead(name, next))
      finally first.countDown()
    LinkAheadSuite.onQuarter = () => assert(!isRead(name, next), "not before: a query may end early")
    LinkAheadSuite.others = first
    val read = batch(name)
      .rdd
      .mapPartitions(LinkAheadSuite.watched(perPartition))
      .map(row => Seen(row.getAs[String]("partition").toInt, row.getAs[Long]("sequenceNumber"), ""))
      .collect()
      .toSeq
    assertSame(read, (0 to next).flatMap(id => (0 until perPartition).map(n => Seen(id, n.toLong, ""))))
    eventually("no link is left")(!localHub.amqp.readers.exists(_.hub == name))
  }

  test("a query that takes a few events opens one link") {
    val name = filled()
    assert(batch(name).take(5).length == 5)
    assert(!isRead(name, tasksAtATime))
  }

  test("an exclusive reader opens no link ahead") {
    val name = filled()
    val first = new CountDownLatch(1)
    LinkAheadSuite.onQuarter = () => ()
    LinkAheadSuite.onHalf = () =>
      try assert(!isRead(name, tasksAtATime))
      finally first.countDown()
    LinkAheadSuite.others = first
    val read = batch(name, "eventhubs.ownerLevel" -> "1").rdd.mapPartitions(LinkAheadSuite.watched(perPartition))
    assert(read.count() == perPartition.toLong * (tasksAtATime + 1))
  }
}

/** Tasks run in this JVM, so they find these. */
private object LinkAheadSuite {
  @volatile var onQuarter: () => Unit = () => ()
  @volatile var onHalf: () => Unit = () => ()

  /** Holds up the other tasks that run at the same time, so that no core is free for the next one. */
  @volatile var others = new CountDownLatch(0)

  def watched(count: Int): Iterator[Row] => Iterator[Row] = rows => {
    if (TaskContext.getPartitionId() > 0) {
      others.await(60, TimeUnit.SECONDS)
      rows
    } else
      rows.zipWithIndex.map { case (row, index) =>
        if (index == count / 4) onQuarter()
        // Spark may be some rows ahead of its reader.
        if (index == count - 1) onHalf()
        row
      }
  }
}
