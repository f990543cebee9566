package org.apache.spark.sql.eventhubs.lostanswer

import localhub.HubConfig
import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.eventhubs.exactlyonce.StopAndStart
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import testkit.TestSuite

/** A secondary region is promoted, and has a part of a batch whose answer is missing. */
class PartOfBatchSuite extends TestSuite with StopAndStart {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  test("the part that the promoted region lacks is sent again") {
    import spark.implicits._
    val hub = newHub(1)
    localHub.deleteHub(hub)
    localHub.createHub(HubConfig(hub, 1, geoReplication = true))
    spark.range(1).selectExpr("'old' as body").write.format("eventhubs").options(options(hub)).save()
    localHub.faults.inject(
      Fault(FaultAction.DropConnection, Occasion.Stored, FaultScope(hub = Some(hub)), skip = 5, count = Some(1))
    )
    val source = MemoryStream[Int]
    source.addData(0 until 3000)
    // One task, so that the last events are those of the batch without an answer.
    val rows = source.toDF().coalesce(1).selectExpr("cast(value as string) as body")
    val query = start(rows, hub, newFolder(), exactlyOnce :+ ("eventhubs.settleDelay" -> "8s"))
    try {
      eventually("no answer is missing")(isIn("ReadBackDelivery", "settle"))
      localHub.promote(hub, unreplicated = 1)
      query.processAllAvailable()
    } finally {
      query.stop()
      localHub.faults.clear()
    }
    assertSame(arrived(hub), "old" +: (0 until 3000).map(_.toString))
  }
}
