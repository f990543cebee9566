package org.apache.spark.sql.eventhubs.lostanswer

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.{LocalHubConfig, ServiceSettings}
import org.apache.spark.sql.eventhubs.exactlyonce.{Breaking, ExactlyOnceFixture}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.{LongTest, TestSuite}

/** Exactly-once writes where everything that is not known of the service is against them. */
@LongTest
class StrictExactlyOnceSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  override protected def hubConfig: LocalHubConfig = LocalHubConfig(service = ServiceSettings.Strict)

  private val rows = 0 until 5000
  private val idempotent = exactlyOnce :+ "eventhubs.idempotentProducer" -> "true"

  private def source(): DataFrame = {
    import spark.implicits._
    val source = MemoryStream[Int]
    source.addData(rows)
    source.toDF()
  }

  test("batches whose answers are lost are found, and each event is stored once") {
    val hub = newHub()
    val scope = FaultScope(hub = Some(hub))
    val fault = Fault(FaultAction.DropConnection, Occasion.Stored, scope, skip = 20, count = Some(2))
    val injected = localHub.faults.inject(fault)
    run(source().selectExpr("cast(value as string) as body"), hub, newFolder(), idempotent)
    assertSame(arrived(hub), rows.map(_.toString))
    assert(!localHub.faults.active.exists(_.id == injected.id))
  }

  test("a batch that failed halfway is finished after a restart, each event once") {
    val (hub, checkpoint, from) = (newHub(), newFolder(), source())
    Breaking.when(_ == 4800)
    failure(fragile(from), hub, checkpoint, idempotent)
    Breaking.stop()
    val metrics = run(fragile(from), hub, checkpoint, idempotent)
    assertSame(arrived(hub), rows.map(_.toString))
    assert(metrics("foundEvents").toInt > 100)
  }
}
