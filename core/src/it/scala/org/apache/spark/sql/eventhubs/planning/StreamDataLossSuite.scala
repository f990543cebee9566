package org.apache.spark.sql.eventhubs.planning

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.sql.eventhubs.source.StreamFixture
import testkit.{Patience, TestSuite}

/** Hubs that lose events, are recreated and get partitions under a query. */
class StreamDataLossSuite extends TestSuite with StreamFixture {

  /** Closes the links that wait for the next batch, because they have prefetched the events that expire. */
  private def closeIdleLinks(name: String): Unit = eventually("idle links are closed") {
    ExecutorResources.get.evictIdle()
    !localHub.amqp.readers.exists(_.hub == name)
  }

  private def lossy(name: String, more: (String, String)*) =
    stream(name, more :+ earliest :+ ("eventhubs.receiverIdleTimeout" -> "1ms"): _*)

  private def lost(query: Running): String =
    query.query.recentProgress.last.sources.head.metrics.asScala("lostEvents")

  test("events that expired while the query was stopped: an error that names them") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 10, 5)
    readAvailable(lossy(name), checkpoint)
    closeIdleLinks(name)
    send(name, 10, 0)
    expire(name, 0, before = 13)
    val error = failureOf(lossy(name), checkpoint)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    val facts = error.getMessageParameters.asScala
    assert(facts("hub") == name && facts("partition") == "0")
    assert(facts("fromSeqNo") == "10" && facts("untilSeqNo") == "13")
  }

  test("events that expired while the query was stopped, tolerated, are counted, and the rest is read") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 10, 5)
    readAvailable(lossy(name), checkpoint)
    closeIdleLinks(name)
    send(name, 10, 2)
    expire(name, 0, before = 13)
    val query = readAvailable(lossy(name, lenient), checkpoint)
    assertSame(query.read, events(0, 13, 20) ++ events(1, 5, 7))
    assert(lost(query) == "3")
  }

  test("when all events of a batch expired, tolerated: they are counted, and later events are delivered") {
    val name = newHub(1)
    val checkpoint = newFolder()
    send(name, 10)
    readAvailable(lossy(name), checkpoint)
    closeIdleLinks(name)
    send(name, 10)
    expire(name, 0, before = 20)
    running(lossy(name, lenient), checkpoint) { query =>
      assertSame(query.catchUp(), Nil)
      assert(lost(query) == "10")
      send(name, 4)
      assertSame(query.catchUp(), events(0, 20, 24))
    }
  }

  test("events that expire between planning and reading of a batch are reported by the task") {
    val name = newHub(1)
    val checkpoint = newFolder()
    send(name, 20)
    // The first batch stops before its commit, and its events expire before it is replayed.
    val fromFirst = "eventhubs.startingPosition" -> "0"
    val broken = start(
      stream(name, fromFirst, "eventhubs.receiverIdleTimeout" -> "1ms"),
      checkpoint,
      org.apache.spark.sql.streaming.Trigger.AvailableNow(),
      onBatch = _ => throw new IllegalStateException("the power went out")
    )
    assertThrows[Exception](broken.query.awaitTermination(Patience.queryMillis))
    closeIdleLinks(name)
    expire(name, 0, before = 6)
    val error = failureOf(lossy(name), checkpoint)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("untilSeqNo") == "6")
    val query = readAvailable(lossy(name, lenient), checkpoint)
    assertSame(query.read, events(0, 6, 20))
  }

  test("a hub that is recreated under a running query is an error, although its sequence numbers look plausible") {
    val name = newHub(2)
    send(name, 5, 5)
    def recreated(batch: Long): Unit = if (batch == 0) {
      recreate(name)
      send(name, 9, 9)
    }
    running(lossy(name), onBatch = recreated) { query =>
      val error = query.failure()
      assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
      assert(error.getMessage.contains(name))
      assertSame(query.read, firstEvents(5, 5))
    }
  }

  test("a hub that is recreated under a running query, tolerated, is read from its first event") {
    val name = newHub(4)
    send(name, 10, 5, 3, 0)
    // While a batch is processed, the connector does not query the hub, which is missing for a moment.
    def recreated(batch: Long): Unit = if (batch == 0) {
      recreate(name)
      send(name, 4, 2, 0, 1)
    }
    running(lossy(name, lenient), onBatch = recreated) { query =>
      eventually("the new hub's events have come")(query.catchUp().size >= 25)
      assertSame(query.read, firstEvents(10, 5, 3, 0) ++ firstEvents(4, 2, 0, 1))
      send(name, 9, 4, 5, 1)
      assertSame(query.catchUp(), firstEvents(10, 5, 3, 0) ++ firstEvents(13, 6, 5, 2))
    }
  }

  test(
    "a hub that was recreated while the query was stopped is detected, also when it ends at the same sequence numbers"
  ) {
    val name = newHub(1)
    val checkpoint = newFolder()
    send(name, 7)
    readAvailable(lossy(name), checkpoint)
    recreate(name)
    send(name, 7)
    assert(failureOf(lossy(name), checkpoint).getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assertSame(readAvailable(lossy(name, lenient), checkpoint).read, events(0, 0, 7))
    send(name, 1)
    assertSame(readAvailable(lossy(name), checkpoint).read, events(0, 7, 8))
  }

  test("partitions that are added under a running query are read from their first event") {
    val name = newHub(2)
    send(name, 3, 3)
    running(stream(name)) { query =>
      query.catchUp()
      grow(name, 4)
      send(name, 1, 0, 4, 5)
      assertSame(query.catchUp(), events(0, 3, 4) ++ events(2, 0, 4) ++ events(3, 0, 5))
    }
  }

  test("partitions that were added while the query was stopped are read from their first event") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 3, 3)
    readAvailable(stream(name, earliest, "maxEventsPerTrigger" -> "4"), checkpoint)
    grow(name, 4)
    send(name, 1, 0, 4, 5)
    val query = readAvailable(stream(name, "maxEventsPerTrigger" -> "4"), checkpoint)
    assertSame(query.read, events(0, 3, 4) ++ events(2, 0, 4) ++ events(3, 0, 5))
  }

  test("an added partition that lost its first events before it was read: an error, or counted") {
    val name = newHub(1)
    val checkpoint = newFolder()
    send(name, 3)
    readAvailable(lossy(name), checkpoint)
    grow(name, 2)
    send(name, 0, 8)
    expire(name, 1, before = 2)
    assert(failureOf(lossy(name), checkpoint).getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    val query = readAvailable(lossy(name, lenient), checkpoint)
    assertSame(query.read, events(1, 2, 8))
    assert(lost(query) == "2")
  }
}
