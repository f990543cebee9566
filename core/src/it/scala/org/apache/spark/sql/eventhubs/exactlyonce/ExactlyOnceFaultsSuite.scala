package org.apache.spark.sql.eventhubs.exactlyonce

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import testkit.TestSuite

/** The hub stores a batch, and the answer is lost. */
class ExactlyOnceFaultsSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 5000

  /** A closed connection may still finish a write, in a thread that the test cannot wait for. */
  private val settling = exactlyOnce :+ ("eventhubs.settleDelay" -> "1s")

  private val detach = FaultAction.Detach("amqp:link:detach-forced", "the link was moved")

  /** Says nothing about the deliveries that the service has not answered. */
  private val busy = FaultAction.Detach("com.microsoft:server-busy", "Please wait 4 seconds and try again.")

  /** Faults after a batch was stored. The first batches are confirmed. */
  private def lostAnswers(hub: String, action: FaultAction, count: Int): Fault =
    Fault(action, Occasion.Stored, FaultScope(hub = Some(hub)), probability = 0.1, skip = 10, count = Some(count))

  private def written(hub: String, more: Seq[(String, String)], columns: String*): Map[String, String] = {
    import spark.implicits._
    val source = MemoryStream[Int]
    source.addData(rows)
    try {
      val frame = source.toDF().selectExpr("cast(value as string) as body" +: columns: _*)
      val metrics = run(frame, hub, newFolder(), more)
      // A fault that has done all that it should is gone. Some hit a connection that is closed already.
      assert(localHub.faults.active.forall(_.hits > 0))
      metrics
    } finally localHub.faults.clear()
  }

  Seq(
    "a dropped connection" -> FaultAction.DropConnection,
    "a detached link" -> detach,
    "a link that is closed as busy" -> busy
  ).foreach {
    case (what, action) =>
      test(s"$what after storing: each event once, and no task fails") {
        val hub = newHub()
        localHub.faults.inject(lostAnswers(hub, action, count = 4))
        val metrics = written(hub, settling)
        assertSame(arrived(hub), rows.map(_.toString))
        assert(metrics("eventsSent") == rows.length.toString, "all were confirmed in one run of the tasks")
      }

      test(s"$what after storing, with idempotent producers: each event once, and no task fails") {
        val hub = newHub()
        localHub.faults.inject(lostAnswers(hub, action, count = 4))
        val metrics = written(hub, settling :+ ("eventhubs.idempotentProducer" -> "true"))
        assertSame(arrived(hub), rows.map(_.toString))
        assert(metrics("eventsSent") == rows.length.toString, "all were confirmed in one run of the tasks")
      }

      test(s"$what after storing, for keys: each event once, in order") {
        val hub = newHub()
        localHub.faults.inject(lostAnswers(hub, action, count = 4))
        written(hub, settling, "concat('k', value % 3) as partitionKey")
        val byKey = super.written(
          hub
        ).values.flatten.toSeq.groupBy(_.getPartitionKey).view.mapValues(_.map(_.getBodyAsString.toInt))
        assert(byKey.values.map(_.length).sum == rows.length)
        // Two tasks share a key, and each keeps its own order.
        val half = rows.length / 2
        byKey.values.foreach(values =>
          Seq(values.filter(_ < half), values.filter(_ >= half)).foreach(of => assert(of == of.sorted))
        )
      }
  }

  test("without exactly once the same faults leave events twice") {
    val hub = newHub()
    localHub.faults.inject(lostAnswers(hub, FaultAction.DropConnection, count = 4))
    written(hub, Seq("eventhubs.maxBatchBytes" -> "2k"))
    assert(arrived(hub).toSet == rows.map(_.toString).toSet)
    assert(arrived(hub).length > rows.length)
  }

  test("connections that break before anything is stored") {
    val hub = newHub()
    localHub.faults.inject(lostAnswers(hub, FaultAction.DropConnection, count = 4).copy(occasion = Occasion.Send))
    written(hub, settling)
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("a busy service causes no read-back") {
    val hub = newHub()
    localHub.faults.inject(
      Fault(FaultAction.Throttle, Occasion.Send, FaultScope(hub = Some(hub)), skip = 10, count = Some(2))
    )
    val metrics = written(hub, settling)
    assertSame(arrived(hub), rows.map(_.toString))
    assert(metrics("throttledSends").toInt == 2 && metrics("retriedSends") == "0")
  }
}
