package org.apache.spark.sql.eventhubs.lostanswer

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.{LocalHubConfig, ServiceSettings}
import org.apache.spark.sql.eventhubs.exactlyonce.ExactlyOnceFixture
import org.apache.spark.sql.eventhubs.source.StoredEvent
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/** The service does not answer when a link is drained (azure-sdk-for-js#3714). */
class UnansweredDrainSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  override protected def hubConfig: LocalHubConfig = LocalHubConfig(service = ServiceSettings(answersDrain = false))

  private val rows = 0 until 2000

  private def source(): DataFrame = {
    import spark.implicits._
    val source = MemoryStream[Int]
    source.addData(rows)
    source.toDF().selectExpr("cast(value as string) as body")
  }

  /** The hub has stored the batch when the connection is dropped. Returns whether it has happened. */
  private def loseAnAnswer(hub: String): () => Boolean = {
    val scope = FaultScope(hub = Some(hub))
    val fault = Fault(FaultAction.DropConnection, Occasion.Stored, scope, skip = 20, count = Some(1))
    val injected = localHub.faults.inject(fault)
    () => !localHub.faults.active.exists(_.id == injected.id)
  }

  /** Its timeout makes the wait for an answer that does not come short. */
  private val quick = exactlyOnce ++ Seq("eventhubs.operationTimeout" -> "12s", "eventhubs.settleDelay" -> "1s")

  test("a batch whose answer was lost is found, and the query continues") {
    val hub = newHub()
    val isLost = loseAnAnswer(hub)
    run(source(), hub, newFolder(), quick)
    assertSame(arrived(hub), rows.map(_.toString))
    assert(isLost())
  }

  test("a repeated batch finds what it has sent") {
    val (hub, checkpoint, from) = (newHub(), newFolder(), source())
    run(from, hub, checkpoint, quick)
    forgetCommit(checkpoint, 0)
    run(from, hub, checkpoint, quick)
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("other writers who never pause do not keep the search for an end from ending") {
    val hub = newHub(1)
    val isLost = loseAnAnswer(hub)
    @volatile var isOver = false
    val others = spark.range(50).selectExpr("cast(-1 as string) as body")
    val other =
      new Thread(() => while (!isOver) others.write.format("eventhubs").options(options(hub)).save())
    other.start()
    try run(source(), hub, newFolder(), quick)
    finally {
      isOver = true
      other.join()
    }
    assertSame(arrived(hub).filter(_ != "-1"), rows.map(_.toString))
    assert(isLost())
  }

  private val compacted = Seq("eventhubs.compacted" -> "true", "eventhubs.operationTimeout" -> "12s")

  /** Events 0 until 20 have keys of their own. 20 until 25 were tombstones, and are gone. */
  private def withoutTail(): String = {
    val name = newHub(1)
    val log = localHub.namespace.find(name).get.partitions(0)
    (0 until 20).foreach(n => StoredEvent.appendKeyed(log, s"event $n".getBytes, s"key $n"))
    (0 until 5).foreach(n => StoredEvent.appendTombstone(log, s"gone $n"))
    localHub.compact(name, "0", removeTombstones = true)
    name
  }

  test("a batch read of a compacted hub ends where the last events are gone") {
    val name = withoutTail()
    assert(spark.read.format("eventhubs").options(options(name, compacted: _*)).load().count() == 20)
  }

  test("a stream of a compacted hub reads past the events that are gone") {
    val name = withoutTail()
    val stream = spark.readStream.format("eventhubs").options(options(name, compacted: _*))
      .option("eventhubs.startingPosition", "earliest").load()
    val query = stream.writeStream.format("memory").queryName("undrained").start()
    try {
      query.processAllAvailable()
      val log = localHub.namespace.find(name).get.partitions(0)
      StoredEvent.appendKeyed(log, "new".getBytes, "new")
      query.processAllAvailable()
      assert(spark.table("undrained").count() == 21)
    } finally query.stop()
  }

  test("a start by time without an event after it is found") {
    val name = withoutTail()
    val log = localHub.namespace.find(name).get.partitions(0)
    StoredEvent.appendKeyed(log, "last".getBytes, "last")
    val time = java.time.Instant.ofEpochMilli(log.bounds.lastEnqueuedMillis)
    eventually("a millisecond passed")(java.time.Instant.now().isAfter(time.plusMillis(2)))
    StoredEvent.appendTombstone(log, "gone")
    localHub.compact(name, "0", removeTombstones = true)
    val start = "eventhubs.startingPosition" -> time.plusMillis(1).toString
    assert(spark.read.format("eventhubs").options(options(name, compacted :+ start: _*)).load().count() == 0)
  }
}
