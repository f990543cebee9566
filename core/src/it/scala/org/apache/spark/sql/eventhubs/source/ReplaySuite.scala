package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.eventhubs.{EventHubsConf, EventHubsException, EventHubsUtils, NameAndPartition}
import org.apache.spark.sql.DataFrame
import testkit.TestSuite

/** Second passes over the same events. The tests stop the hub before them, so they cannot use the network. */
class ReplaySuite extends TestSuite with ReadSparkFixture {

  private val caching = "eventhubs.replayCacheBytes" -> "16m"

  private def rdd(hub: String, more: (String, String)*) = {
    val conf = EventHubsConf.toConf(options(hub, more: _*))
    EventHubsUtils.createRDD(
      spark.sparkContext,
      conf,
      Array(OffsetRange(NameAndPartition(hub, 0), 0, 100), OffsetRange(NameAndPartition(hub, 1), 5, 10))
    )
  }

  test("a second action on the same ranges reads from memory") {
    val hub = newHub(2)
    (0 to 1).foreach(fill(hub, _, 0, 100))
    val events = rdd(hub, caching)
    assert(events.count() == 105)
    localHub.deleteHub(hub)
    assert(events.map(event => new String(event.body)).collect().toSet == names(0, 0, 100) ++ names(1, 5, 10))
  }

  test("without the option nothing is cached") {
    val hub = newHub(2)
    (0 to 1).foreach(fill(hub, _, 0, 100))
    val events = rdd(hub, "eventhubs.operationTimeout" -> "20s")
    assert(events.count() == 105)
    localHub.deleteHub(hub)
    val failed = intercept[Exception](events.count())
    assert(failed.getMessage.contains("EVENTHUBS_"), failed.getMessage)
  }

  test("a batch read does not take cached events of a recreated hub") {
    val hub = newHub(1)
    fill(hub, 0, 0, 10)
    val frame = batch(hub, caching)
    assert(frame.count() == 10)
    localHub.deleteHub(hub)
    localHub.createHub(hub, 1)
    send(hub, 0, (0 until 10).map(n => s"new-$n"): _*)
    assert(bodiesOf(frame.collect().toSeq).toSet == (0 until 10).map(n => s"new-$n").toSet)
  }

  Seq("true", "false").foreach { useV1 =>
    test(s"two writers in foreachBatch read the batch once from the hub, useV1Source=$useV1") {
      val hub = newHub(2)
      (0 to 1).foreach(fill(hub, _, 0, 50))
      var passes = Seq.empty[Set[String]]
      val frame = stream(hub, fromStart, caching, "eventhubs.useV1Source" -> useV1)
      val failed = intercept[Exception] {
        runAvailable(
          frame.writeStream.foreachBatch { (rows: DataFrame, _: Long) =>
            passes :+= bodiesOf(rows.collect().toSeq).toSet
            localHub.deleteHub(hub)
            passes :+= bodiesOf(rows.collect().toSeq).toSet
            throw new IllegalStateException("enough")
          },
          newFolder().toString
        )
      }
      assert(failed.getMessage.contains("enough"), failed.getMessage)
      assert(passes == Seq.fill(2)(names(0, 0, 50) ++ names(1, 0, 50)))
    }
  }

  test("a conf with a negative size is refused") {
    assert(intercept[EventHubsException](rdd("any", "eventhubs.replayCacheBytes" -> "-1")).getCondition ==
      "EVENTHUBS_INVALID_OPTION")
  }
}
