package org.apache.spark.sql.eventhubs.source

import java.time.Instant

import org.apache.spark.eventhubs.connection.{AzureEventHubsClient, EventHubsProducerClient, PartitionBounds}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.util.ManualTime
import testkit.TestSuite

class RelationSizeSuite extends TestSuite with ReadSparkFixture {

  private def readSettings(hub: String, more: (String, String)*) =
    ReadSettings.parse(options(hub, more: _*), ReadMode.Batch)

  private def size(frame: DataFrame): BigInt = frame.queryExecution.optimizedPlan.stats.sizeInBytes

  test("a batch read has the size of its events") {
    val hub = newHub(3)
    assert(size(batch(newHub(1))) <= 1, "an empty hub")
    send(hub, 0, Seq.fill(300)("x" * 1000): _*)
    send(hub, 1, Seq.fill(10)("x" * 1000): _*)
    assert(size(batch(hub)) == 310 * RelationSize.BytesOfEvent)
    assert(size(batch(hub, "eventhubs.startingPosition" -> "8")) == 294 * RelationSize.BytesOfEvent)
    assert(size(batch(hub, "eventhubs.endingPosition" -> "20")) == 30 * RelationSize.BytesOfEvent)
  }

  test("small hubs are broadcast in a join, large ones are not") {
    val (small, large) = (newHub(1), newHub(1))
    send(small, 0, "a", "b")
    send(large, 0, Seq.fill(2000)("x" * 1000): _*)
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "1m")
    def bodies(hub: String) = batch(hub).select(col("body").cast("string").as("body"))
    val joined = bodies(large).join(bodies(small), "body")
    assert(joined.queryExecution.sparkPlan.toString.contains("BroadcastHashJoin"))
    assert(joined.count() == 0)
    val both = bodies(large).as("one").join(bodies(large).as("other"), "body")
    assert(!both.queryExecution.sparkPlan.toString.contains("BroadcastHashJoin"))
  }

  test("a frame asks its hub again after a minute, so a hub that grows is not taken for a small one for ever") {
    val hub = newHub(1)
    val time = new ManualTime
    val resources = new ExecutorResources(new AzureEventHubsClient(_), EventHubsProducerClient.open, time)
    try {
      val relation = new EventHubsRelation(spark.sqlContext, readSettings(hub), resources)
      assert(relation.sizeInBytes == 0)
      send(hub, 0, "x" * 100)
      time.millis = 59999
      assert(relation.sizeInBytes == 0)
      time.millis = 60000
      assert(relation.sizeInBytes == RelationSize.BytesOfEvent)
    } finally resources.close()
  }

  test("when the size is unknown, Spark still plans the query, and reading reports why") {
    val frame = batch("no-such-hub")
    assert(size(frame) == spark.sessionState.conf.defaultSizeInBytes)
    assert(intercept[Exception](frame.collect()).getMessage.contains("EVENTHUBS_NOT_FOUND"))
  }

  test("positions that need a search count as all events") {
    val bounds = PartitionBounds(10, 100, "x", Instant.EPOCH)
    def count(more: (String, String)*) = RelationSize.count(readSettings("any", more: _*), 0, bounds)
    val time = "2024-01-31T12:00:00Z"
    assert(count("eventhubs.startingPosition" -> time, "eventhubs.endingPosition" -> time) == 90)
    assert(count("eventhubs.startingPosition" -> "5", "eventhubs.endingPosition" -> "500") == 90)
    assert(count("eventhubs.startingPosition" -> "40", "eventhubs.endingPosition" -> "30") == 0)
  }
}
