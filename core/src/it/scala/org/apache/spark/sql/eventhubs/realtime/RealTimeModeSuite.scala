package org.apache.spark.sql.eventhubs.realtime

import org.apache.spark.sql.streaming.Trigger
import testkit.TestSuite

class RealTimeModeSuite extends TestSuite with RealTimeFixture {

  test("every event comes once, in time, over batches and a restart") {
    val hub = newHub(2)
    val checkpoint = newFolder().toString
    val events = 60
    val first = start("rt", stream(hub, fromStart), realTime, checkpoint)
    try {
      trickle(hub, "rt", events)
      eventually("no second batch")(Option(first.lastProgress).exists(_.batchId >= 1))
      assert(first.recentProgress.map(_.sources.head.metrics.get("lostEvents")).forall(_ == "0"))
    } finally first.stop()
    (0 to 1).foreach(fill(hub, _, 1000, 1010))
    val second = start("rt2", stream(hub, fromStart), realTime, checkpoint)
    val late = names(0, 1000, 1010) ++ names(1, 1000, 1010)
    try eventually(s"${RealTimeRows.of("rt2")}")(late.subsetOf(RealTimeRows.of("rt2").map(_._1).toSet))
    finally second.stop()
    // A task that is being stopped may give its sink one more event; it counts as not given, and the second query has
    // it.
    val bodies = RealTimeRows.of("rt").map(_._1).filterNot(late)
    assert(bodies.sorted == (0 until events).map(n => s"p${n % 2}-$n").sorted)
    println(s"Real-Time Mode, from the hub to foreach: ${percentiles(RealTimeRows.of("rt").drop(5).map(_._2))}")
  }

  test("for comparison: micro-batches of 100 ms") {
    val hub = newHub(2)
    val query = start("mb", stream(hub, fromStart), Trigger.ProcessingTime(100), newFolder().toString)
    try trickle(hub, "mb", 30)
    finally query.stop()
    println(
      s"Micro-batches of 100 ms, from the hub to foreach: ${percentiles(RealTimeRows.of("mb").drop(5).map(_._2))}"
    )
  }

  test("batches continue with the receivers of the batches before") {
    val hub = newHub(2)
    val query = start("links", stream(hub, fromStart), realTime, newFolder().toString)
    try {
      fill(hub, 0, 0, 5)
      eventually("three batches did not come")(Option(query.lastProgress).exists(_.batchId >= 2))
      fill(hub, 1, 0, 5)
      eventually("the last events did not come")(RealTimeRows.of("links").size == 10)
      val batch = query.lastProgress.batchId
      eventually("the last batch did not end")(query.lastProgress.batchId > batch)
      assert(query.lastProgress.sources.head.metrics.get("linksOpened") == "2")
    } finally query.stop()
  }

  test("options that limit or split a batch are refused by name") {
    val hub = newHub(1)
    val frame = stream(hub, fromStart, "eventhubs.maxEventsPerTrigger" -> "5", "eventhubs.minPartitions" -> "2")
    val failed = intercept[Exception] {
      val query = start("refused", frame, realTime, newFolder().toString)
      try query.processAllAvailable()
      finally query.stop()
    }
    assert(failed.getMessage.contains("EVENTHUBS_CONFLICTING_OPTIONS"))
    assert(failed.getMessage.contains("'eventhubs.maxEventsPerTrigger', 'eventhubs.minPartitions'"))
  }
}
