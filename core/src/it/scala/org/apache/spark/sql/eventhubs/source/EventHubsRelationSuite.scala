package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.functions.col
import testkit.TestSuite

/** Batch reads. */
class EventHubsRelationSuite extends TestSuite with ReadHubFixture {

  private def condition(error: => Any): String = intercept[EventHubsException](error).getCondition

  test("without positions all retained events are read") {
    val name = newHub(3)
    send(name, 30, 0, 500)
    assertSame(seen(batch(name)), firstEvents(30, 0, 500))
  }

  test("from and until a position, for all and for single partitions") {
    val name = newHub(3)
    send(name, 10, 10, 10)
    val frame = batch(
      name,
      "eventhubs.startingPosition" -> "3",
      "eventhubs.startingPositions" -> """{"1":"earliest"}""",
      "eventhubs.endingPosition" -> "8",
      "eventhubs.endingPositions" -> """{"2":"latest"}"""
    )
    assertSame(seen(frame), events(0, 3, 8) ++ events(1, 0, 8) ++ events(2, 3, 10))
  }

  test("between two times") {
    val name = newHub(1)
    val log = hub(name).partitions.head
    def time = java.time.Instant.ofEpochMilli(log.bounds.lastEnqueuedMillis)
    def sendLater(): java.time.Instant = {
      val before = System.currentTimeMillis()
      eventually("time passed")(System.currentTimeMillis() > before + 1)
      send(name, 2)
      time
    }
    sendLater()
    val from = sendLater()
    val until = sendLater()
    val frame =
      batch(name, "eventhubs.startingPosition" -> from.toString, "eventhubs.endingPosition" -> until.toString)
    assertSame(seen(frame), events(0, 2, 4))
  }

  test("a batch does not wait for an end in the future") {
    val name = newHub(1)
    send(name, 5)
    assertSame(seen(batch(name, "eventhubs.endingPosition" -> "1000")), firstEvents(5))
  }

  test("a batch that starts at the end is empty") {
    val name = newHub(1)
    send(name, 5)
    assertSame(seen(batch(name, "eventhubs.startingPosition" -> "latest")), Nil)
    assertSame(seen(batch(name, "eventhubs.startingPosition" -> "3", "eventhubs.endingPosition" -> "3")), Nil)
  }

  test("an end before the start is refused, in numbers and in times, whatever failOnDataLoss says") {
    val name = newHub(2)
    send(name, 9, 9)
    Seq(
      "4" -> "3",
      "2024-01-01T11:00:00Z" -> "2024-01-01T10:00:00Z",
      "latest" -> "3"
    ).foreach { case (start, end) =>
      val frame = batch(
        name,
        "eventhubs.startingPosition" -> start,
        "eventhubs.endingPosition" -> end,
        "failOnDataLoss" -> "false"
      )
      val error = ours(intercept[Exception](frame.count()))
      assert(error.getCondition == "EVENTHUBS_START_AFTER_END", s"$start to $end")
      assert(error.getMessage.contains(name) && error.getMessage.contains(end))
    }
    val onePartition = batch(name, "eventhubs.startingPositions" -> "{\"1\":5}", "eventhubs.endingPosition" -> "2")
    assert(ours(intercept[Exception](onePartition.count())).getMessageParameters.get("partition") == "1")
  }

  test("only the requested part of the expired events counts as lost") {
    val name = newHub(1)
    send(name, 10)
    expire(name, 0, before = 8)
    val range = Seq("eventhubs.startingPosition" -> "2", "eventhubs.endingPosition" -> "5")
    val error = ours(intercept[Exception](batch(name, range: _*).count()))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("fromSeqNo") == "2" && error.getMessageParameters.get("untilSeqNo") == "5")
    assertSame(seen(batch(name, range :+ ("failOnDataLoss" -> "false"): _*)), Nil)
  }

  test(
    "a hub that is recreated between planning and reading is an error, although it has events with these sequence numbers"
  ) {
    val name = newHub(1)
    send(name, 10)
    val planned = batch(name).queryExecution.executedPlan
    // This makes Spark plan the scan.
    recreate(name)
    send(name, 20)
    assert(ours(intercept[Exception](planned.executeCollect())).getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assertSame(seen(batch(name)), firstEvents(20))
  }

  test("with failOnDataLoss off, a batch read of a hub that was recreated meanwhile skips the rest of the range") {
    val name = newHub(1)
    send(name, 10)
    val planned = batch(name, "failOnDataLoss" -> "false").queryExecution.executedPlan
    recreate(name)
    send(name, 20)
    assert(planned.executeCollect().isEmpty)
  }

  test("a subset of the partitions") {
    val name = newHub(4)
    send(name, 2, 2, 2, 2)
    assertSame(seen(batch(name, "eventhubs.partitions" -> "1,3")), events(1, 0, 2) ++ events(3, 0, 2))
  }

  test("a count, and columns in any order and number") {
    val name = newHub(2)
    send(name, 40, 2)
    val frame = batch(name)
    assert(frame.count() == 42)
    assert(frame.select("sequenceNumber").collect().map(_.getLong(0)).sorted.toSeq ==
      ((0L until 40L) ++ (0L until 2L)).sorted)
    val turned = frame.select("partition", "body", "sequenceNumber").filter(col("partition") === "1").collect()
    assert(turned.map(row => (row.getString(0), new String(row.getAs[Array[Byte]](1)), row.getLong(2))).toSet ==
      Set(("1", "p1-0", 0L), ("1", "p1-1", 1L)))
  }

  test("only the selected columns are decoded") {
    val plan = batch(newHub(1)).select("sequenceNumber", "body").queryExecution.executedPlan.toString
    assert(plan.contains("ReadSchema: struct<sequenceNumber:bigint,body:binary>"))
  }

  test("a frame in union with itself has every event twice, and each scan includes later events") {
    val name = newHub(1)
    send(name, 10)
    val frame = batch(name)
    assertSame(seen(frame.union(frame)), firstEvents(10) ++ firstEvents(10))
    send(name, 3)
    assertSame(seen(frame), firstEvents(13))
  }

  test("reading a few events of many leaves no open link") {
    val name = newHub(2)
    send(name, 3000, 3000)
    assert(batch(name).limit(5).collect().length == 5)
    eventually("no link is open")(!localHub.amqp.readers.exists(_.hub == name))
  }

  test("a batch has the requested number of tasks") {
    val name = newHub(2)
    send(name, 100, 10)
    val frame = batch(name, "eventhubs.minPartitions" -> "5")
    assert(frame.rdd.getNumPartitions == 5)
    assertSame(seen(frame), firstEvents(100, 10))
  }

  test("partitions share the allowed number of tasks") {
    val name = newHub(8)
    send(name, Seq.fill(8)(50): _*)
    val frame = batch(name, "eventhubs.maxPartitions" -> "3")
    assert(frame.rdd.getNumPartitions == 3)
    assertSame(seen(frame), firstEvents(Seq.fill(8)(50): _*))
  }

  test("an empty hub is an empty frame") {
    assert(batch(newHub(2)).count() == 0)
  }

  test("an expired start is an error, or the rest is read") {
    val name = newHub(1)
    send(name, 10)
    expire(name, 0, before = 4)
    assert(condition(batch(name, "eventhubs.startingPosition" -> "1").count()) == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assertSame(seen(batch(name, "eventhubs.startingPosition" -> "1", "failOnDataLoss" -> "false")), events(0, 4, 10))
    assertSame(seen(batch(name)), events(0, 4, 10))
  }

  test("a start beyond the end is refused") {
    val name = newHub(1)
    send(name, 10)
    assert(condition(batch(name, "eventhubs.startingPosition" -> "11").count()) == "EVENTHUBS_POSITION_BEYOND_END")
  }

  test("events of 1 MB are read with a small prefetch buffer") {
    val name = newHub(1)
    StoredEvent.append(hub(name).partitions.head, 0, 60, bodyBytes = 1000000)
    val sizes = batch(name).selectExpr("length(body)").collect().map(_.getInt(0)).toSeq
    assert(sizes == Seq.fill(60)(1000000))
  }

  test("a failure of a task reaches the caller with its condition") {
    val name = newHub(1)
    send(name, 10)
    val frame = batch(name, "eventhubs.startingPosition" -> "0")
    val planned = frame.queryExecution.executedPlan
    expire(name, 0, before = 3)
    val error = ours(intercept[Exception](planned.executeCollect()))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("untilSeqNo") == "3")
  }
}
