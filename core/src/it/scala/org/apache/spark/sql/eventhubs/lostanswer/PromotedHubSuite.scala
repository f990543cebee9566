package org.apache.spark.sql.eventhubs.lostanswer

import org.scalatest.BeforeAndAfterEach

import localhub.HubConfig
import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.eventhubs.exactlyonce.{Breaking, StopAndStart}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import testkit.TestSuite

/** A promoted region has all events from before a batch, so that all events of the batch can be found. */
class PromotedHubSuite extends TestSuite with StopAndStart with BeforeAndAfterEach {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 3000
  private val inTime = exactlyOnce ++ Seq("eventhubs.settleDelay" -> "3s", "eventhubs.settleDelayAfterTimeout" -> "4s")

  private def source(): MemoryStream[Int] = {
    import spark.implicits._
    val source = MemoryStream[Int]
    source.addData(rows)
    source
  }

  private def write(hub: String, body: String): Unit =
    spark.range(1).selectExpr(s"'$body' as body").write.format("eventhubs").options(options(hub)).save()

  /** A geo-replicated hub with one event in each partition. */
  private def replicatedHub(partitions: Int): String = {
    val hub = newHub(partitions)
    localHub.deleteHub(hub)
    localHub.createHub(HubConfig(hub, partitions, geoReplication = true))
    (0 until partitions).foreach { id =>
      spark.range(1).selectExpr("'old' as body", s"'$id' as partition")
        .write.format("eventhubs").options(options(hub)).save()
    }
    hub
  }

  private def loseAnswer(hub: String): Unit = {
    localHub.faults.inject(
      Fault(FaultAction.DropConnection, Occasion.Stored, FaultScope(hub = Some(hub)), skip = 5, count = Some(1))
    )
    ()
  }

  override protected def afterEach(): Unit = {
    Breaking.stop()
    localHub.faults.clear()
    super.afterEach()
  }

  test("a promotion without loss before the first batch does not stop it when an answer is lost") {
    val hub = replicatedHub(2)
    localHub.promote(hub, unreplicated = 0)
    loseAnswer(hub)
    run(fragile(source().toDF()), hub, newFolder(), inTime)
    assert(localHub.faults.active.isEmpty, "an answer was lost")
    assertSame(arrived(hub), Seq("old", "old") ++ rows.map(_.toString))
  }

  test("a restart sends what a region lacks that was promoted since the batch began") {
    val (hub, from, checkpoint) = (replicatedHub(1), source(), newFolder())
    Breaking.when(_ == 2900)
    failure(fragile(from.toDF()), hub, checkpoint)
    Breaking.stop()
    val sent = stored(hub) - 1
    assert(sent > 10)
    localHub.promote(hub, unreplicated = sent - 5)
    write(hub, "new")
    run(fragile(from.toDF()), hub, checkpoint)
    assertSame(arrived(hub), Seq("old", "new") ++ rows.map(_.toString))
  }

  test("a promotion while an answer is missing loses no event that was confirmed before") {
    val (hub, from) = (replicatedHub(1), source())
    loseAnswer(hub)
    val slow = Seq("eventhubs.settleDelay" -> "8s", "eventhubs.settleDelayAfterTimeout" -> "8s")
    val query = start(fragile(from.toDF()), hub, newFolder(), exactlyOnce ++ slow)
    try {
      eventually("no answer is missing")(isIn("ReadBackDelivery", "settle"))
      localHub.promote(hub, unreplicated = stored(hub) - 2)
      query.processAllAvailable()
    } finally query.stop()
    assertSame(arrived(hub), "old" +: rows.map(_.toString))
  }
}
