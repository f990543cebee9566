package org.apache.spark.sql.eventhubs.hubs

import java.nio.file.Path

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.source.StreamFixture
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import testkit.{HubService, Patience, TestSuite}

/** A stream that reads the event hubs which match a pattern. */
class HubPatternStreamSuite extends TestSuite with StreamFixture {

  private type Seen = (String, Long)

  private def created(prefix: String, id: Int): String = localHub.createHub(s"$prefix-$id", 1).name

  private def matching(prefix: String, more: (String, String)*): DataFrame = stream(
    s"$prefix-1",
    more ++ Seq(
      "eventhubs.connectionString" -> localHub.connectionString,
      "eventhubs.namePattern" -> s"$prefix-.*",
      "eventhubs.namePatternInterval" -> "100ms",
      "eventhubs.includeEventHub" -> "true",
      earliest
    ): _*
  )

  private val rows = new java.util.concurrent.ConcurrentHashMap[String, Vector[Seen]]

  private def started(frame: DataFrame, checkpoint: Path, trigger: Trigger): StreamingQuery = {
    val collect = (batch: DataFrame, _: Long) =>
      batch.selectExpr("eventHub", "sequenceNumber").collect().foreach { row =>
        rows.merge(checkpoint.toString, Vector((row.getString(0), row.getLong(1))), (a, b) => a ++ b)
        ()
      }
    frame.writeStream.foreachBatch(collect).option("checkpointLocation", checkpoint.toUri.toString).trigger(trigger)
      .start()
  }

  private def read(checkpoint: Path): Seq[Seen] = rows.getOrDefault(checkpoint.toString, Vector.empty).sorted

  private def all(hub: String, count: Int): Seq[Seen] = (0 until count).map(n => (hub, n.toLong))

  private def eventuallyRead(query: StreamingQuery, checkpoint: Path, expected: Seq[Seen]): Unit =
    eventually(s"${read(checkpoint)} is not $expected") {
      query.exception.foreach(failed => throw failed)
      read(checkpoint) == expected.sorted
    }

  private def toEnd(frame: DataFrame, checkpoint: Path): Unit = {
    HubService.current.awaitAnswers()
    val query = started(frame, checkpoint, Trigger.AvailableNow())
    try assert(query.awaitTermination(Patience.queryMillis), "it has not ended in time")
    finally query.stop()
  }

  test("hubs that appear during the stream join it from their first event, and a restart continues with all") {
    val prefix = "join"
    val one = created(prefix, 1)
    created(prefix, 2)
    send(one, 3)
    val checkpoint = newFolder()
    val query = started(matching(prefix), checkpoint, Trigger.ProcessingTime(0))
    val late =
      try {
        eventuallyRead(query, checkpoint, all(one, 3))
        val third = created(prefix, 3)
        send(third, 4)
        eventuallyRead(query, checkpoint, all(one, 3) ++ all(third, 4))
        query.processAllAvailable() // Otherwise the last batch may not be committed, and comes again.
        third
      } finally query.stop()
    val fourth = created(prefix, 4)
    send(fourth, 2)
    send(late, 1)
    toEnd(matching(prefix), checkpoint)
    assert(read(checkpoint) == (all(one, 3) ++ all(late, 5) ++ all(fourth, 2)).sorted)
  }

  test("a hub that vanishes or is recreated follows failOnDataLoss, and the others are read") {
    val prefix = "vanish"
    val (one, two) = (created(prefix, 1), created(prefix, 2))
    send(one, 2)
    send(two, 2)
    val checkpoint = newFolder()
    toEnd(matching(prefix), checkpoint)
    recreate(two)
    send(two, 3)
    val recreated = failureOf(matching(prefix), checkpoint)
    assert(recreated.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    toEnd(matching(prefix, lenient), checkpoint)
    assert(read(checkpoint) == (all(one, 2) ++ all(two, 2) ++ all(two, 3)).sorted)
    localHub.namespace.delete(two)
    send(one, 1)
    val missing = failureOf(matching(prefix), checkpoint)
    assert(missing.getCondition == "EVENTHUBS_NOT_FOUND" && missing.getMessageParameters.get("hub") == two)
    toEnd(matching(prefix, lenient), checkpoint)
    assert(read(checkpoint) == (all(one, 3) ++ all(two, 2) ++ all(two, 3)).sorted)
  }

  test("a batch read has the hubs of now, and a pattern without a match is named") {
    val prefix = "batch"
    val (one, two) = (created(prefix, 1), created(prefix, 2))
    send(one, 2)
    send(two, 3)
    def of(pattern: String) =
      batch(one, "eventhubs.namePattern" -> pattern, "eventhubs.includeEventHub" -> "true")
    val counts = of(s"$prefix-.*").groupBy("eventHub").count().collect().map(row => row.getString(0) -> row.getLong(1))
    assert(counts.toMap == Map(one -> 2L, two -> 3L))
    val namespace = "eventhubs.connectionString" -> localHub.connectionString
    val nothing = intercept[EventHubsException] {
      batch(one, namespace, "eventhubs.namePattern" -> s"$prefix-1x").count()
    }
    assert(nothing.getCondition == "EVENTHUBS_NO_MATCHING_HUB" && nothing.getMessage.contains(s"'$one'"))
  }
}
