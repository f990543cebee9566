package org.apache.spark.sql.eventhubs.hubs

import java.util.concurrent.CountDownLatch

import org.apache.spark.eventhubs.ErrorCondition.HubList
import org.apache.spark.eventhubs.connection.SdkFailures
import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors, EventHubsException, NameAndPartition}
import org.apache.spark.sql.eventhubs.{EventHubsSourceOffset, TestSpark}
import testkit.TestSuite

/** A query whose event hubs are those that match a pattern. */
class HubPatternSuite extends TestSuite with TestSpark {

  private val pattern = "/orders-.*/"
  private val latest = "eventhubs.startingPosition" -> "latest"
  private val lenient = "failOnDataLoss" -> "false"

  private def fixture(options: (String, String)*): StreamPlannerFixture = {
    val f = new StreamPlannerFixture(spark, pattern, options: _*)
    f.retain("orders-1", (0, 10))
    f.retain("returns", (0, 20))
    f
  }

  private def offset(hubs: (String, Long)*): EventHubsSourceOffset =
    EventHubsSourceOffset(hubs.map { case (hub, seqNo) => hub -> Map(0 -> seqNo) }.toMap)

  private def failedList =
    EventHubsErrors.hubList(HubList.Unreachable, EventHubName("ns", "p"), "https://ns", "no route", new Exception)

  test("a hub that appears while the query runs is read from its first event, when the interval has passed") {
    val f = fixture(latest, "eventhubs.namePatternInterval" -> "10m")
    val start = f.planner.initialOffset
    assert(start == offset("orders-1" -> 10L))
    f.retain("Orders-2", (4, 9))
    assert(f.latest(start) == start, "one minute later")
    f.clock.advance(600000)
    val end = f.latest(start)
    assert(end == offset("orders-1" -> 10L, "Orders-2" -> 9L))
    assert(f.ranges(start, end) == Map(NameAndPartition("Orders-2", 0) -> (4L, 9L)))
    f.retain("Orders-2", (6, 12))
    f.restart(pattern)
    assert(f.ranges(start, end) == Map(NameAndPartition("Orders-2", 0) -> (4L, 9L)), "the start is kept")
  }

  test("a hub that appears while the query is stopped is read from its first event") {
    val f = fixture(latest)
    val start = f.planner.initialOffset
    f.retain("orders-2", (4, 9))
    f.restart(pattern)
    assert(f.latest(start) == offset("orders-1" -> 10L, "orders-2" -> 9L))
  }

  test("a hub of the checkpoint that has vanished stops the query, or the others are read without it") {
    val strict = fixture()
    strict.retain("orders-2", (0, 5))
    val start = strict.planner.initialOffset
    strict.remove("orders-2")
    strict.retain("orders-1", (0, 12))
    for (_ <- 1 to 2) {
      val failure = intercept[EventHubsException](strict.latest(start))
      assert(failure.getCondition == "EVENTHUBS_NOT_FOUND" && failure.getMessageParameters.get("hub") == "orders-2")
      strict.restart(pattern)
    }
    strict.restart(pattern, lenient)
    assert(strict.latest(start) == start.updated(Seq(offset("orders-1" -> 12L))))
  }

  test("a hub that vanishes before anything of it was read is no loss") {
    val f = fixture()
    val start = f.planner.initialOffset
    f.retain("orders-2", (0, 5))
    f.planner
    f.restart(pattern)
    f.hubs("orders-2").unanswered = Some(SdkFailures.notFound)
    f.directory = () => Seq("orders-1", "orders-2")
    f.retain("orders-1", (0, 12))
    assert(f.latest(start) == offset("orders-1" -> 12L))
  }

  test("a hub that may not be read yet joins when it may, and from its first event") {
    val f = fixture(latest)
    val start = f.planner.initialOffset
    f.directory = () => Seq("orders-1", "orders-2", "returns")
    f.retain("orders-2", (3, 7))
    f.hubs("orders-2").unanswered = Some(SdkFailures.unauthorized)
    f.retain("orders-1", (0, 12))
    val without = f.latest(start)
    assert(without == offset("orders-1" -> 12L))
    f.hubs("orders-2").unanswered = None
    f.retain("orders-2", (3, 8))
    val end = f.latest(without)
    assert(f.ranges(without, end) == Map(NameAndPartition("orders-2", 0) -> (3L, 8L)))
  }

  test("AvailableNow reads the hubs of its start") {
    val f = fixture()
    f.planner.prepareForAvailableNow()
    val start = f.planner.initialOffset
    f.retain("orders-2", (0, 5))
    assert(f.latest(start) == offset("orders-1" -> 10L))
  }

  test("a list that fails later does not stop the query, and the next one counts") {
    val f = fixture()
    val start = f.planner.initialOffset
    f.retain("orders-2", (0, 5))
    val listed = f.directory
    f.directory = () => throw failedList
    val without = f.latest(start)
    assert(without == offset("orders-1" -> 10L))
    f.directory = listed
    f.clock.advance(60000)
    assert(f.latest(without) == offset("orders-1" -> 10L, "orders-2" -> 5L))
  }

  test("a slow list does not hold up a batch, and its hubs are in a later one") {
    val f = fixture()
    val start = f.planner.initialOffset
    f.retain("orders-2", (0, 5))
    val answered = new CountDownLatch(1)
    f.directory = () => { answered.await(); Seq("orders-1", "orders-2") }
    val without = f.latest(start)
    assert(without == offset("orders-1" -> 10L))
    answered.countDown()
    eventually("the hub has not joined")(f.latest(without) == offset("orders-1" -> 10L, "orders-2" -> 5L))
  }

  test("a pattern that matches nothing, and a list that fails, stop a query that starts") {
    val nothing = new StreamPlannerFixture(spark, "/alerts/")
    nothing.retain("orders-1", (0, 1))
    val failure = intercept[EventHubsException](nothing.planner.initialOffset)
    assert(failure.getCondition == "EVENTHUBS_NO_MATCHING_HUB" && failure.getMessage.contains("'orders-1'"))
    val f = fixture()
    f.directory = () => throw failedList
    val failed = intercept[EventHubsException](f.planner.initialOffset)
    assert(failed.getCondition == "EVENTHUBS_HUB_LIST.UNREACHABLE")
  }

  test("a list of names becomes a pattern and continues where it was; a hub that matches no more keeps its positions") {
    val f = new StreamPlannerFixture(spark, "orders-1,returns", "eventhubs.startingPosition" -> "earliest")
    f.retain("orders-1", (0, 10))
    f.retain("returns", (0, 20))
    val end = f.latest(f.planner.initialOffset)
    f.retain("orders-1", (0, 11))
    f.retain("returns", (0, 21))
    f.restart(pattern)
    val next = f.latest(end)
    assert(f.ranges(end, next) == Map(NameAndPartition("orders-1", 0) -> (10L, 11L)))
    assert(next.of("returns") == Map(0 -> 20L))
  }
}
