package org.apache.spark.sql.eventhubs.exactlyonce

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import testkit.TestSuite

/** Batches that linger end at other events in each attempt, and events are still sent once. */
class ExactlyOnceLingerSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 2000

  Seq(false, true).foreach { idempotent =>
    test(s"lost answers, then a repeated batch: each event once; idempotent producers: $idempotent") {
      import spark.implicits._
      val hub = newHub()
      val checkpoint = newFolder()
      val more = exactlyOnce ++ Seq(
        "eventhubs.settleDelay" -> "1s",
        "eventhubs.lingerMs" -> "0",
        "eventhubs.idempotentProducer" -> idempotent.toString
      )
      localHub.faults.inject(Fault(
        FaultAction.DropConnection,
        Occasion.Stored,
        FaultScope(hub = Some(hub)),
        probability = 0.1,
        skip = 10,
        count = Some(3)
      ))
      val source = MemoryStream[Int]
      source.addData(rows)
      val frame = source.toDF().selectExpr("cast(value as string) as body", "cast(value % 4 as string) as partitionId")
      try run(frame, hub, checkpoint, more)
      finally localHub.faults.clear()
      val first = bodies(hub)
      forgetCommit(checkpoint, 0)
      val again = run(frame, hub, checkpoint, more)
      assertSame(arrived(hub), rows.map(_.toString))
      assert(again("foundEvents") == rows.length.toString)
      // Each task keeps its order in each partition.
      first.values.foreach { bodies =>
        val (low, high) = bodies.map(_.toInt).partition(_ < rows.length / 2)
        Seq(low, high).foreach(of => assert(of == of.sorted))
      }
    }
  }
}
