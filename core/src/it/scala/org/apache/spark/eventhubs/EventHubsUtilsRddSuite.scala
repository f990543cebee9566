package org.apache.spark.eventhubs

import javaapi.JavaJob

import org.apache.spark.api.java.JavaSparkContext
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import testkit.TestSuite

class EventHubsUtilsRddSuite extends TestSuite with ReadSparkFixture {

  private def conf(hub: String) = EventHubsConf(localHub.connectionString(hub))

  test("an RDD of fixed ranges holds the events of these ranges, as values that last") {
    val hub = newHub(2)
    (0 to 1).foreach(fill(hub, _, 0, 100))
    val ranges = Array(
      OffsetRange(NameAndPartition(hub, 0), 10, 20),
      OffsetRange(NameAndPartition(hub, 1), 0, 100),
      OffsetRange(NameAndPartition(hub, 1), 5, 5)
    )
    val rdd = EventHubsUtils.createRDD(spark.sparkContext, conf(hub), ranges)
    val events = rdd.collect()
    assert(events.map(event => new String(event.body)).toSet == names(0, 10, 20) ++ names(1, 0, 100))
    assert(events.length == 110)
    assert(events.filter(_.partitionId == 0).map(_.sequenceNumber).toSeq == (10L until 20L))
    assert(rdd.count() == 110, "it can be read again")
  }

  test("a job in Java reads an RDD") {
    val hub = newHub()
    fill(hub, 0, 0, 10)
    val range = JavaJob.range(hub, 0, 2, 6)
    val events =
      JavaJob.events(new JavaSparkContext(spark.sparkContext), localHub.connectionString(hub), range).collect()
    assert(events.toArray(Array.empty[EventHubsEvent]).map(_.sequenceNumber).toSeq == (2L until 6L))
  }

  test("a range of another hub is refused") {
    val ranges = Array(OffsetRange(NameAndPartition("other", 0), 0, 1))
    val refused = intercept[EventHubsException](EventHubsUtils.createRDD(spark.sparkContext, conf(newHub()), ranges))
    assert(refused.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(refused.getMessage.contains("other"))
  }

  test("positions of partitions that do not exist are refused, in streams and batches") {
    val hub = newHub(2)
    Seq("eventhubs.startingPositions", "eventhubs.endingPositions").foreach { option =>
      val refused = intercept[EventHubsException](batch(hub, option -> "{\"0\":0,\"2\":0}").collect())
      assert(refused.getCondition == "EVENTHUBS_INVALID_OPTION")
      assert(refused.getMessage.contains(s"'$option' is '0,2'") && refused.getMessage.contains("0 to 1"))
    }
    val inStream = intercept[Exception] {
      val query = stream(hub, "eventhubs.startingPositions" -> "{\"2\":0}").writeStream.format("noop").start()
      try query.processAllAvailable()
      finally query.stop()
    }
    assert(inStream.getMessage.contains("EVENTHUBS_INVALID_OPTION"))
  }

  test("positions of a partition that exists and is not read are no error") {
    val hub = newHub(2)
    fill(hub, 0, 0, 3)
    val rows = batch(hub, "eventhubs.partitions" -> "0", "eventhubs.startingPositions" -> "{\"1\":0,\"0\":1}").collect()
    assert(bodiesOf(rows.toSeq).toSet == names(0, 1, 3))
  }

  test("a sink is named in the progress, without its secret") {
    val hub = newHub()
    fill(hub, 0, 0, 1)
    val writer = stream(hub, fromStart).writeStream.format("eventhubs").options(options(newHub()))
    val progress = runAvailable(writer, newFolder().toString).lastProgress
    assert(progress.sink.description.matches("EventHubs\\[hub-\\d+ in localhost\\]"))
    assert(!progress.json.contains("SharedAccessKey"))
  }
}
