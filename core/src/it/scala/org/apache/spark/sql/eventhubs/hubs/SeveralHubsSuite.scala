package org.apache.spark.sql.eventhubs.hubs

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.source.{ApiVersion, RelationSize, StreamFixture}
import org.apache.spark.sql.eventhubs.{EventHubsSchema, EventHubsSourceOffset}
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import testkit.{HubService, Patience, TestSuite}

class V1SeveralHubsSuite extends SeveralHubsBehaviour(ApiVersion.V1)
class V2SeveralHubsSuite extends SeveralHubsBehaviour(ApiVersion.V2)

/** One query that reads a list of hubs. */
abstract class SeveralHubsBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private def fill(hub: String, counts: Int*): Unit = send(hub, counts: _*)

  private def listed(hubs: String*)(more: (String, String)*): DataFrame =
    stream(hubs.head, more ++ Seq("eventhubs.name" -> hubs.mkString(","), earliest): _*)

  private def withHub(hubs: String*)(more: (String, String)*): DataFrame =
    listed(hubs: _*)(more :+ ("eventhubs.includeEventHub" -> "true"): _*)

  /** Hub, partition and number of each event that the query gave to a memory sink. */
  private def run(frame: DataFrame, checkpoint: Path): Seq[(String, Int, Long)] = {
    val rows = new java.util.concurrent.ConcurrentLinkedQueue[(String, Int, Long)]
    val collect = (batch: DataFrame, _: Long) =>
      batch.selectExpr("eventHub", "cast(partition as int)", "sequenceNumber").collect().foreach { row =>
        rows.add((row.getString(0), row.getInt(1), row.getLong(2)))
      }
    HubService.current.awaitAnswers()
    val query = frame.writeStream.foreachBatch(collect)
      .option("checkpointLocation", checkpoint.toUri.toString)
      .trigger(Trigger.AvailableNow())
      .start()
    try assert(query.awaitTermination(Patience.queryMillis), "it has not ended in time")
    finally query.stop()
    rows.asScala.toSeq
  }

  private def all(hub: String, counts: Int*): Seq[(String, Int, Long)] =
    counts.zipWithIndex.flatMap { case (count, partition) => (0 until count).map(n => (hub, partition, n.toLong)) }

  test("each event of each hub comes once, with its hub's name when the query asks for it") {
    val (one, two) = (newHub(2), newHub(3))
    fill(one, 5, 7)
    fill(two, 1, 0, 9)
    val checkpoint = newFolder()
    assert(run(withHub(one, two)(), checkpoint).sorted == (all(one, 5, 7) ++ all(two, 1, 0, 9)).sorted)
    fill(two, 0, 4)
    assert(
      run(withHub(two, one)(), checkpoint).sorted == all(two, 0, 4).sorted,
      "the order of the list is of no account"
    )
    assert(listed(one, two)().schema == EventHubsSchema.schema)
    assert(withHub(one)().schema == EventHubsSchema.schema.add("eventHub", "string"))
  }

  test("a batch is limited over all hubs, and its metrics name them") {
    val (huge, tiny, none) = (newHub(2), newHub(1), newHub(1))
    fill(huge, 500, 400)
    fill(tiny, 5)
    val query = readAvailable(listed(huge, tiny, none)("maxEventsPerTrigger" -> "300"))
    assert(query.sizes.sum == 905 && query.sizes.max <= 303, query.sizes)
    val progress = query.query.recentProgress.filter(_.sources.head.numInputRows > 0)
    val first = EventHubsSourceOffset.parse(progress.head.sources.head.endOffset)
    assert(first.of(tiny)(0) >= 1, "the small hub does not wait for the huge one")
    val metrics = progress.last.sources.head.metrics.asScala
    val read = Seq(huge, tiny, none).sorted.map(hub => s""""$hub":0""")
    assert(metrics("eventsBehindByHub") == read.mkString("{", ",", "}"))
    assert(progress.last.sources.head.description.contains(Seq(huge, tiny, none).sorted.mkString(",")))
  }

  test("a query of one hub becomes a list, and a list one hub, without reading anything twice or leaving it out") {
    val (one, two) = (newHub(1), newHub(1))
    fill(one, 4)
    fill(two, 3)
    val checkpoint = newFolder()
    assert(run(withHub(one)(), checkpoint) == all(one, 4))
    assert(run(withHub(one, two)(), checkpoint) == all(two, 3), "all events of the hub that joins")
    fill(one, 2)
    fill(two, 2)
    assert(run(withHub(one)(), checkpoint) == Seq((one, 0, 4L), (one, 0, 5L)))
    assert(run(withHub(one, two)(), checkpoint) == Seq((two, 0, 3L), (two, 0, 4L)), "continues where it left")
  }

  test("a batch that failed before its commit is read again with all its hubs, also one that has left the list") {
    val (one, two) = (newHub(1), newHub(1))
    fill(one, 6)
    fill(two, 6)
    val checkpoint = newFolder()
    val broken =
      start(listed(one, two)(), checkpoint, Trigger.AvailableNow(), _ => throw new IllegalStateException("off"))
    assertThrows[StreamingQueryException](broken.query.awaitTermination(Patience.queryMillis))
    fill(two, 1)
    assert(run(withHub(one)(), checkpoint).sorted == (all(one, 6) ++ all(two, 6)).sorted)
    assert(run(withHub(one, two)(), checkpoint) == Seq((two, 0, 6L)))
  }

  test("one hub that is recreated between batches is the only one that is reported and read again") {
    val (one, two) = (newHub(1), newHub(1))
    fill(one, 6)
    fill(two, 6)
    val checkpoint = newFolder()
    run(withHub(one, two)(), checkpoint)
    recreate(two)
    fill(one, 1)
    fill(two, 8)
    val error = failureOf(listed(one, two)(), checkpoint)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED" && error.getMessageParameters.get("hub") == two)
    assert(run(withHub(one, two)(lenient), checkpoint).sorted == ((one, 0, 6L) +: all(two, 8)).sorted)
  }

  test("a deleted hub stops the query with its name, or the others are read without it") {
    val (one, two) = (newHub(1), newHub(1))
    fill(one, 6)
    fill(two, 6)
    val checkpoint = newFolder()
    run(withHub(one, two)(), checkpoint)
    localHub.namespace.delete(two)
    fill(one, 2)
    val error = failureOf(listed(one, two)(), checkpoint)
    assert(error.getCondition == "EVENTHUBS_NOT_FOUND" && error.getMessageParameters.get("hub") == two)
    assert(run(withHub(one, two)(lenient), checkpoint) == Seq((one, 0, 6L), (one, 0, 7L)))
  }

  test("a consumer group that one hub lacks stops the query, whatever the policy") {
    val (one, two) = (newHub(1, Seq("dashboards")), newHub(1))
    val error = failureOf(listed(one, two)(lenient, "eventhubs.consumerGroup" -> "dashboards"))
    assert(error.getCondition == "EVENTHUBS_NOT_FOUND" && error.getMessageParameters.get("hub") == two)
  }

  test("a batch read has the events of all hubs") {
    val (one, two) = (newHub(2), newHub(1))
    fill(one, 3, 4)
    fill(two, 5)
    val read = batch(one, "eventhubs.name" -> s"$two,$one", "eventhubs.includeEventHub" -> "true")
    val rows = read.selectExpr("eventHub", "cast(partition as int)", "sequenceNumber").collect()
    assert(rows.map(row => (row.getString(0), row.getInt(1), row.getLong(2))).toSeq.sorted ==
      (all(one, 3, 4) ++ all(two, 5)).sorted)
    assert(
      read.queryExecution.optimizedPlan.stats.sizeInBytes == 12 * RelationSize.BytesOfEvent,
      "the sizes of the hubs are added"
    )
    assert(intercept[EventHubsException](ours(batch(
      one,
      "eventhubs.name" -> s"$one,$one"
    ))).getMessage.contains("each once"))
  }

  private def ours(frame: => DataFrame): DataFrame = frame
}
