package org.apache.spark.sql.eventhubs.planning

import scala.annotation.nowarn

import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.source.{ApiVersion, StreamFixture}
import org.apache.spark.sql.streaming.Trigger
import testkit.{Patience, TestSuite}

class V1StreamLimitsSuite extends StreamLimitsBehaviour(ApiVersion.V1)
class V2StreamLimitsSuite extends StreamLimitsBehaviour(ApiVersion.V2)

abstract class StreamLimitsBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private def upTo(events: Int) = "maxEventsPerTrigger" -> events.toString

  test("maxEventsPerTrigger divides the backlog into batches, each partition's share in proportion") {
    val name = newHub(4)
    send(name, 250, 200, 150, 40)
    val query = readAvailable(stream(name, earliest, upTo(100)))
    assert(query.sizes.take(3) == Seq(99, 99, 98), "as the legacy divided them")
    assertSame(query.read, firstEvents(250, 200, 150, 40))
  }

  test("small partitions do not starve, and the batches are the same after a restart") {
    val name = newHub(4)
    send(name, 101, 11, 1, 0)
    val checkpoint = newFolder()
    val first = start(stream(name, earliest, upTo(10)), checkpoint, Trigger.ProcessingTime("1 hour"))
    eventually("the first batch is done")(first.query.lastProgress != null)
    first.stop()
    assertSame(first.read, events(0, 0, 8) ++ events(1, 0, 1) ++ events(2, 0, 1))
    val second = start(stream(name, earliest, upTo(10)), checkpoint, Trigger.ProcessingTime("1 hour"))
    eventually("the second batch is done")(second.query.lastProgress != null)
    second.stop()
    assertSame(second.read, events(0, 8, 17) ++ events(1, 1, 2))
  }

  test("AvailableNow reads the existing events in several batches, and no later ones") {
    val name = newHub(1)
    send(name, 15)
    val checkpoint = newFolder()
    val query = readAvailable(stream(name, earliest, upTo(5)), checkpoint, onBatch = _ => send(name, 1))
    assert(query.sizes == Seq(5, 5, 5))
    assertSame(query.read, firstEvents(15))
    assertSame(readAvailable(stream(name, earliest), checkpoint).read, events(0, 15, 18))
  }

  test("Once reads all events in one batch, whatever the limit") {
    val name = newHub(2)
    send(name, 10, 10)
    @nowarn("cat=deprecation")
    val once = Trigger.Once()
    val query = start(stream(name, earliest, upTo(5)), newFolder(), once)
    assert(query.query.awaitTermination(Patience.queryMillis))
    assert(query.sizes == Seq(20))
    assertSame(query.read, firstEvents(10, 10))
  }

  test("without new events there are no batches") {
    val name = newHub(1)
    send(name, 3)
    running(stream(name, earliest)) { query =>
      query.catchUp()
      val batch = query.query.lastProgress.batchId
      query.catchUp()
      assert(query.query.lastProgress.batchId == batch)
    }
  }

  test("long ranges are read by several tasks, and nothing is lost between them") {
    val name = newHub(2)
    send(name, 1000, 3)
    val frame = stream(name, earliest, "eventhubs.maxEventsPerTask" -> "300", "minPartitions" -> "3")
    running(frame) { query =>
      assertSame(query.catchUp(), firstEvents(1000, 3))
      send(name, 700, 1)
      assertSame(query.catchUp(), firstEvents(1700, 4))
    }
  }

  test("the progress counts rows, and its metrics report how far behind the query is") {
    val name = newHub(2)
    send(name, 40, 10)
    val first = start(stream(name, earliest, upTo(10)), newFolder(), Trigger.ProcessingTime("1 hour"))
    eventually("the first batch is done")(first.query.lastProgress != null)
    first.stop()
    assert(first.query.lastProgress.numInputRows == 10)
    val behind = Map(
      "eventsBehind" -> "40",
      "minEventsBehind" -> "8",
      "maxEventsBehind" -> "32",
      "avgEventsBehind" -> "20.0",
      "slowestPartition" -> "0",
      "lostEvents" -> "0"
    )
    assert(behind.toSet.subsetOf(first.metrics.toSet))
    val source = first.query.lastProgress.sources.head
    assert(source.startOffset == null)
    assert(EventHubsSourceOffset.parse(source.endOffset) == EventHubsSourceOffset(name, Map(0 -> 8L, 1 -> 2L)))
    assert(EventHubsSourceOffset.parse(source.latestOffset) == EventHubsSourceOffset(name, Map(0 -> 40L, 1 -> 10L)))
  }
}
