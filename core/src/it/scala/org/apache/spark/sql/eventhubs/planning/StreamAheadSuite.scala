package org.apache.spark.sql.eventhubs.planning

import scala.collection.mutable

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.source.{Seen, StreamFixture}
import org.apache.spark.sql.streaming.Trigger
import testkit.{Patience, TestSuite}

/** A stream with more partitions than cores requests the events of its next tasks ahead. */
class StreamAheadSuite extends TestSuite with StreamFixture {

  private val perTask = 3000
  private def next = spark.sparkContext.defaultParallelism

  /** First sequence number of the next task's partition that the hub has not sent. */
  private def unsent(name: String): Option[Long] = localHub.amqp.readers.collectFirst {
    case reader if reader.hub == name && reader.partition == next.toString => reader.nextSequenceNumber
  }

  /**
   * Reads all events in two batches, with checks of each while all cores are busy. Only the first task has a next one.
   */
  private def read(name: String, more: (String, String)*)(atQuarter: Long => Unit)(atEnd: Long => Unit): Seq[Seen] = {
    val rows = mutable.ArrayBuffer.empty[Seen]
    val process = (frame: DataFrame, batch: Long) => {
      HeldTasks.check(atQuarter(batch), atEnd(batch))
      rows ++= frame.rdd
        .mapPartitions(HeldTasks.watched(perTask))
        .map(row => Seen(row.getAs[String]("partition").toInt, row.getAs[Long]("sequenceNumber"), ""))
        .collect()
      ()
    }
    val limits = Seq(
      earliest,
      "eventhubs.maxEventsPerTrigger" -> s"${perTask * (next + 1)}",
      // Fewer full buffers than links.
      "eventhubs.maxConnections" -> s"$next"
    )
    val query = stream(name, limits ++ more: _*).writeStream
      .foreachBatch(process)
      .option("checkpointLocation", newFolder().toString)
      .trigger(Trigger.AvailableNow())
      .start()
    try assert(query.awaitTermination(Patience.queryMillis), "the query did not end")
    finally query.stop()
    HeldTasks.orThrow()
    rows.toSeq
  }

  private def filled(): String = {
    val name = newHub(next + 1)
    send(name, Seq.fill(next + 1)(perTask * 2): _*)
    name
  }

  private def all: Seq[Seen] = (0 to next).flatMap(id => (0 until perTask * 2).map(n => Seen(id, n.toLong, "")))

  private def underWay(name: String): Unit =
    eventually("the next task's events are under way")(unsent(name).contains(perTask * 2L))

  test("the next task's events are under way before it begins; in the first batch its link opens ahead") {
    val name = filled()
    val read = this.read(name) {
      case 0 => assert(unsent(name).isEmpty)
      case _ => underWay(name)
    } {
      case 0 => eventually("the link of the next task is open")(unsent(name).nonEmpty)
      case _ => ()
    }
    assertSame(read, all)
  }

  test("an exclusive reader opens no link ahead, but requests the events of one that is open") {
    val name = filled()
    val read = this.read(name, "eventhubs.ownerLevel" -> "1") {
      case 0 => ()
      case _ => underWay(name)
    } {
      case 0 => assert(unsent(name).isEmpty)
      case _ => ()
    }
    assertSame(read, all)
  }
}
