package org.apache.spark.sql.eventhubs.realtime

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}
import testkit.{Patience, TestSuite}

/** Hubs that change under a Real-Time query, and several in one. */
class RealTimeHubsSuite extends TestSuite with RealTimeFixture {

  private val lenient = "failOnDataLoss" -> "false"

  private def delivered(query: String): Seq[String] = RealTimeRows.of(query).map(_._1)

  private def eventuallyRead(query: String, expected: Seq[String]): Unit = {
    eventually(s"${delivered(query).sorted} are not ${expected.sorted}")(delivered(query).size >= expected.size)
    assert(delivered(query).sorted == expected.sorted)
  }

  private def lost(query: StreamingQuery): String = query.lastProgress.sources.head.metrics.get("lostEvents")

  private def awaitBatch(query: StreamingQuery, atLeast: Long): Unit =
    eventually(s"batch $atLeast did not end")(Option(query.lastProgress).exists(_.batchId >= atLeast))

  /** Waits until a batch has ended there, which is where a restart resumes. */
  private def awaitEnd(query: StreamingQuery, end: EventHubsSourceOffset): Unit = {
    def ended = Option(query.lastProgress).flatMap(progress => Option(progress.sources.head.endOffset))
    eventually(s"$ended is not $end")(ended.exists(EventHubsSourceOffset.parse(_) == end))
  }

  test("two hubs in one query") {
    val hubs = Seq.fill(2)(newHub(1))
    val union = stream(hubs.head, fromStart).union(stream(hubs.last, fromStart))
    val query = start("rt-union", union, realTime, newFolder().toString)
    try {
      send(hubs.head, 0, "a", "b")
      send(hubs.last, 0, "c")
      eventuallyRead("rt-union", Seq("a", "b", "c"))
      awaitBatch(query, 1)
      send(hubs.last, 0, "d")
      eventuallyRead("rt-union", Seq("a", "b", "c", "d"))
    } finally query.stop()
  }

  test("a list of hubs, with and without the hub's name in the rows") {
    // Real-Time Mode runs all tasks at once, and this session has two cores.
    val hubs = Seq.fill(2)(newHub(1))
    val checkpoint = newFolder().toString
    val listed = stream(hubs.head, fromStart, listOf(hubs), "eventhubs.includeEventHub" -> "true")
      .selectExpr("cast(concat(eventHub, '/', cast(body as string)) as binary) body", "enqueuedTime")
    def expected(hub: Int, bodies: String*) = bodies.map(body => s"${hubs(hub)}/$body")
    val query = start("rt-list", listed, realTime, checkpoint)
    try {
      send(hubs.head, 0, "a", "b")
      send(hubs.last, 0, "c")
      eventuallyRead("rt-list", expected(0, "a", "b") ++ expected(1, "c"))
      awaitEnd(query, EventHubsSourceOffset(Map(hubs.head -> Map(0 -> 2L), hubs.last -> Map(0 -> 1L))))
    } finally query.stop()
    send(hubs.last, 0, "d")
    val again = start("rt-list", listed, realTime, checkpoint)
    try eventuallyRead("rt-list", expected(0, "a", "b") ++ expected(1, "c", "d"))
    finally again.stop()
  }

  private def listOf(hubs: Seq[String]) = "eventhubs.name" -> hubs.mkString(",")

  test(
    "the next batch reads an added partition from its first event and reports its latest offset"
  ) {
    val hub = newHub(1)
    val query = start("rt-grown", stream(hub, fromStart), realTime, newFolder().toString)
    try {
      fill(hub, 0, 0, 3)
      eventuallyRead("rt-grown", names(0, 0, 3).toSeq)
      localHub.namespace.ensure(localHub.namespace.find(hub).get.config.copy(partitions = 2)).orThrow()
      fill(hub, 1, 0, 4)
      eventuallyRead("rt-grown", (names(0, 0, 3) ++ names(1, 0, 4)).toSeq)
      awaitBatch(query, query.lastProgress.batchId + 1)
      val source = query.lastProgress.sources.head
      Seq(source.endOffset, source.latestOffset).foreach { json =>
        assert(EventHubsSourceOffset.parse(json) == EventHubsSourceOffset(hub, Map(0 -> 3L, 1 -> 4L)))
      }
    } finally query.stop()
  }

  test("events that expired while the query was stopped are counted, and the rest is read") {
    val hub = newHub(1)
    val checkpoint = newFolder().toString
    fill(hub, 0, 0, 5)
    val first = start("rt-before", stream(hub, fromStart), realTime, checkpoint)
    try {
      eventuallyRead("rt-before", names(0, 0, 5).toSeq)
      awaitEnd(first, EventHubsSourceOffset(hub, Map(0 -> 5L)))
    } finally first.stop()
    fill(hub, 0, 5, 20)
    localHub.expire(hub, "0", 12)
    val failed = start("rt-strict", stream(hub, "eventhubs.receiverIdleTimeout" -> "1ms"), realTime, checkpoint)
    assert(intercept[StreamingQueryException](
      failed.awaitTermination(Patience.queryMillis)
    ).getMessage.contains("DATA_LOSS.EXPIRED"))
    val second = start("rt-after", stream(hub, lenient), realTime, checkpoint)
    try {
      eventuallyRead("rt-after", names(0, 12, 20).toSeq)
      awaitBatch(second, Option(second.lastProgress).fold(0L)(_.batchId) + 1)
      assert(lost(second) == "7")
    } finally second.stop()
  }

  test("a low answer of the service is no loss") {
    val hub = newHub(1)
    fill(hub, 0, 0, 20)
    val options = Seq(fromStart, "eventhubs.receiverTimeout" -> "1s")
    val query = start("rt-lag", stream(hub, options: _*), realTime, newFolder().toString)
    try {
      eventuallyRead("rt-lag", names(0, 0, 20).toSeq)
      val lag = Fault(FaultAction.LagBehind(15), Occasion.Manage, FaultScope(hub = Some(hub)), count = Some(1))
      for (round <- 0 until 3) {
        localHub.faults.inject(lag)
        eventually("the answer was given")(localHub.faults.active.isEmpty)
        fill(hub, 0, 20 + round, 21 + round)
        eventuallyRead("rt-lag", names(0, 0, 21 + round).toSeq)
      }
      awaitBatch(query, query.lastProgress.batchId + 1)
      assert(lost(query) == "0")
    } finally query.stop()
  }

  test("a promoted secondary region of a geo-replicated hub: an error, or each new event once") {
    for (policy <- Seq("true", "false")) {
      val hub = newHub(1)
      localHub.deleteHub(hub)
      localHub.createHub(localhub.HubConfig(hub, 1, geoReplication = true))
      fill(hub, 0, 0, 20)
      val name = s"rt-promoted-$policy"
      val options = Seq(fromStart, "failOnDataLoss" -> policy)
      val query = start(name, stream(hub, options: _*), realTime, newFolder().toString)
      try {
        eventuallyRead(name, names(0, 0, 20).toSeq)
        localHub.promote(hub, unreplicated = 5)
        send(hub, 0, (0 until 9).map(n => s"new-$n"): _*)
        if (policy == "true") {
          val failure = intercept[StreamingQueryException](query.awaitTermination(Patience.queryMillis))
          assert(failure.getMessage.contains("EVENTHUBS_DATA_LOSS.FAILED_OVER"))
          // Spark may have repeated the task, and so the old events that the promoted region has.
          assert(delivered(name).toSet == names(0, 0, 20))
        } else eventuallyRead(name, names(0, 0, 20).toSeq ++ (0 until 9).map(n => s"new-$n"))
      } finally query.stop()
    }
  }

  test("a recreated hub: an error") {
    val hub = newHub(1)
    fill(hub, 0, 0, 5)
    val query = start("rt-fails", stream(hub, fromStart), realTime, newFolder().toString)
    try {
      eventuallyRead("rt-fails", names(0, 0, 5).toSeq)
      localHub.recreateHub(hub)
      send(hub, 0, (0 until 9).map(n => s"new-$n"): _*)
      val failure = intercept[StreamingQueryException](query.awaitTermination(Patience.queryMillis))
      assert(failure.getMessage.contains("EVENTHUBS_DATA_LOSS.RECREATED"))
      assert(delivered("rt-fails").sorted == names(0, 0, 5).toSeq.sorted)
    } finally query.stop()
  }

  test(
    "with failOnDataLoss off, the batch after the recreation reads the whole new hub, once"
  ) {
    val hub = newHub(1)
    fill(hub, 0, 0, 5)
    val query = start("rt-recreated", stream(hub, fromStart, lenient), realTime, newFolder().toString)
    try {
      eventuallyRead("rt-recreated", names(0, 0, 5).toSeq)
      localHub.recreateHub(hub)
      // As many events as before, so that the numbers do not show the recreation.
      val recreated = (0 until 5).map(n => s"new-$n")
      send(hub, 0, recreated: _*)
      eventuallyRead("rt-recreated", names(0, 0, 5).toSeq ++ recreated)
      awaitBatch(query, query.lastProgress.batchId + 2)
      assert(delivered("rt-recreated").size == 10)
      assert(lost(query) == "1")
    } finally query.stop()
  }
}
