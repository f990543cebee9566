package org.apache.spark.sql.eventhubs.planning

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
    HeldTasks.check(
      atQuarter = assert(!isRead(name, next), "not before: a query may end early"),
      atEnd = eventually("the link of the next task is open")(isRead(name, next))
    )
    val read = batch(name)
      .rdd
      .mapPartitions(HeldTasks.watched(perPartition))
      .map(row => Seen(row.getAs[String]("partition").toInt, row.getAs[Long]("sequenceNumber"), ""))
      .collect()
      .toSeq
    HeldTasks.orThrow()
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
    HeldTasks.check(atQuarter = (), atEnd = assert(!isRead(name, tasksAtATime)))
    val read = batch(name, "eventhubs.ownerLevel" -> "1").rdd.mapPartitions(HeldTasks.watched(perPartition))
    assert(read.count() == perPartition.toLong * (tasksAtATime + 1))
    HeldTasks.orThrow()
  }
}
