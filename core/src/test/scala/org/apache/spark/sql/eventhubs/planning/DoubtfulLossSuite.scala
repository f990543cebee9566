package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.{EventHubsException, EventPosition}
import testkit.TestSuite

/** What is a loss in planning, and what only looks like one: low answers, and expired events of a start 'earliest'. */
class DoubtfulLossSuite extends TestSuite with PlannerTests {

  test("one answer of the service that lacks known events is no loss: it is asked again") {
    for (failOnDataLoss <- Seq("true", "false")) {
      val f = fixture(2, "failOnDataLoss" -> failOnDataLoss)
      f.retain(0 -> (0, 30), 1 -> (0, 9))
      f.hub.partitions(0).lowAnswers ++= Seq(7L, 10L)
      assert(f.latest(f.offset(0 -> 25, 1 -> 2)) == Map(0 -> 30, 1 -> 9))
      f.retain()
      f.hub.partitions(0).lowAnswers += 7L
      assert(f.planner.openBatch(f.offset(0 -> 30, 1 -> 9)).ranges.map(_.fromSeqNo) == Seq(30, 9))
      assert(f.lost == 0)
    }
  }

  test("a query that restarts ahead of answers which lag behind for long is shown by its last event that it exists") {
    for (failOnDataLoss <- Seq("true", "false")) {
      val f = fixture(2, "failOnDataLoss" -> failOnDataLoss)
      f.retain(0 -> (0, 30), 1 -> (0, 9))
      f.hub.partitions(0).lowAnswers ++= Seq.fill(1000)(7L)
      f.hub.found = {
        case (0, EventPosition.AtSequenceNumber(24, true)) => Some(24)
        case _ => None
      }
      assert(f.latest(f.offset(0 -> 25, 1 -> 2)) == Map(0 -> 25, 1 -> 9))
      f.clock.advance(30000)
      assert(f.latest(f.offset(0 -> 25, 1 -> 9)) == Map(0 -> 25, 1 -> 9))
      assert(f.lost == 0 && f.hub.lookups.size == 1)
    }
  }

  test("answers that leave out a known partition are no loss: the partition is asked for") {
    for (failOnDataLoss <- Seq("true", "false"); isRestarted <- Seq(true, false)) {
      val f = fixture(2, "failOnDataLoss" -> failOnDataLoss)
      f.retain(0 -> (0, 30), 1 -> (0, 9))
      if (!isRestarted) assert(f.latest(f.offset(0 -> 25, 1 -> 2)) == Map(0 -> 30, 1 -> 9))
      f.hub.leftOut = Set(1)
      f.retain(1 -> (0, 12))
      if (isRestarted) f.restart()
      val start = f.offset(0 -> 30, 1 -> 9)
      assert(f.latest(start) == Map(0 -> 30, 1 -> 12))
      assert(f.planner.openBatch(start).ranges.map(_.fromSeqNo) == Seq(30, 9))
      assert(f.lost == 0)
    }
  }

  test("a low answer about a partition that was left out is no loss either") {
    for (failOnDataLoss <- Seq("true", "false")) {
      val f = fixture(2, "failOnDataLoss" -> failOnDataLoss)
      f.retain(0 -> (0, 30), 1 -> (0, 12))
      f.hub.leftOut = Set(1)
      f.hub.partitions(1).lowAnswers += 3L
      assert(f.latest(f.offset(0 -> 30, 1 -> 9)) == Map(0 -> 30, 1 -> 12))
      assert(f.lost == 0)
    }
  }

  test("answers that leave out a known partition and refuse questions about it are no loss either") {
    for (failOnDataLoss <- Seq("true", "false")) {
      val f = fixture(2, "failOnDataLoss" -> failOnDataLoss)
      f.retain(0 -> (0, 30), 1 -> (0, 12))
      f.hub.leftOut = Set(1)
      f.hub.partitions(1).refusals = 3
      assert(f.latest(f.offset(0 -> 30, 1 -> 9)) == Map(0 -> 30, 1 -> 12))
      assert(f.lost == 0 && f.hub.partitions(1).refusals == 0)
    }
  }

  test("a partition that is refused for seconds is lost, and the seconds are waited for once") {
    val f = fixture(2)
    f.remove(1)
    val start = f.offset(0 -> 0, 1 -> 5)
    def waited(): Long = {
      val before = f.clock.getTimeMillis()
      assert(condition(f.latest(start)) == "EVENTHUBS_DATA_LOSS.PARTITION_REMOVED")
      f.clock.getTimeMillis() - before
    }
    assert(waited() >= 10000 && waited() == 0)
  }

  test("a partition that was refused for seconds and is back is not lost by one answer that leaves it out again") {
    val f = fixture(2, lenient)
    f.retain(0 -> (0, 30), 1 -> (0, 12))
    f.remove(1)
    val start = f.offset(0 -> 30, 1 -> 9)
    f.latest(start)
    f.retain(1 -> (0, 12))
    assert(f.latest(start) == Map(0 -> 30, 1 -> 12))
    f.hub.leftOut = Set(1)
    f.hub.partitions(1).refusals = 1
    f.retain(1 -> (0, 15))
    assert(f.latest(f.offset(0 -> 30, 1 -> 12)) == Map(0 -> 30, 1 -> 15))
    assert(f.lost == 1)
  }

  test("a hub's answer that leaves out a partition again costs no more questions than a whole one") {
    val f = fixture(2)
    f.retain(0 -> (0, 30), 1 -> (0, 12))
    f.hub.leftOut = Set(1)
    val start = f.offset(0 -> 30, 1 -> 9)
    f.latest(start)
    f.retain()
    val (states, bounds) = (f.hub.stateCalls, f.hub.boundsCalls)
    assert(f.hubPlanner.partitions(start) == Set(0, 1), "what the query has to own")
    assert(f.latest(start) == Map(0 -> 30, 1 -> 12))
    assert(f.hub.stateCalls - states == 1 && f.hub.boundsCalls - bounds == 1)
  }

  test("a partition that is not read and that an answer leaves out keeps its position") {
    val f = fixture(3, lenient, "eventhubs.partitions" -> "0,2")
    f.hub.leftOut = Set(1)
    f.retain(0 -> (0, 5), 2 -> (0, 5))
    assert(f.latest(f.offset(0 -> 1, 1 -> 5, 2 -> 1)) == Map(0 -> 5, 1 -> 5, 2 -> 5))
    assert(f.lost == 0)
  }

  test("answers that lack known events for seconds are believed") {
    val f = fixture(1)
    f.retain(0 -> (0, 10))
    val before = f.clock.getTimeMillis()
    val error = intercept[EventHubsException](f.latest(f.offset(0 -> 25)))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessage.contains("from sequence number 25 on"))
    val seconds = (f.clock.getTimeMillis() - before) / 1000
    assert(seconds >= 10 && seconds < 60)
  }

  test("a partition that ends before the position: events that the query has read are not counted as lost") {
    val f = fixture(1, lenient)
    f.retain(0 -> (20, 40))
    assert(f.latest(f.offset(0 -> 100)) == Map(0 -> 40))
    assert(f.lost == 1)
    val strict = fixture(1)
    strict.retain(0 -> (20, 40))
    val error = intercept[EventHubsException](strict.latest(strict.offset(0 -> 100)))
    assert(error.getMessage.contains("from sequence number 100 on"))
  }

  test("a recreated hub: its own expired events are counted as lost") {
    val recreated = fixture(1, earliest, lenient)
    recreated.retain(0 -> (0, 10))
    val known = recreated.planner.latestOffset(recreated.planner.initialOffset, None)
    recreated.recreate(0 -> (4, 30))
    assert(recreated.latest(known) == Map(0 -> 30))
    assert(recreated.lost == 4)
  }

  test("events that expire at the head of a start 'earliest' before the first read are no loss, also after a restart") {
    val f = fixture(2, earliest)
    f.retain(0 -> (0, 10), 1 -> (3, 9))
    val start = f.planner.initialOffset
    f.retain(0 -> (4, 12), 1 -> (9, 9))
    for (_ <- 1 to 2) {
      val end = f.planner.latestOffset(start, None)
      assert(end == f.offset(0 -> 12, 1 -> 9))
      val ranges = f.planned(start, end)
      assert(ranges.map(r => (r.fromSeqNo, r.untilSeqNo)) == Seq((0, 12), (3, 9)))
      assert(ranges.forall(_.startsAtEarliest), "the tasks skip and count the expired events")
      f.restart()
    }
    assert(f.lost == 0 && f.skipped == 0)
  }

  test("after the first batch of a start 'earliest', expired events are a loss again") {
    val f = fixture(2, earliest, "maxEventsPerTrigger" -> "3")
    f.retain(0 -> (0, 10), 1 -> (0, 0))
    val first = f.planner.latestOffset(f.planner.initialOffset, Some(3))
    assert(first == f.offset(0 -> 3, 1 -> 0))
    f.retain(0 -> (5, 10), 1 -> (2, 8))
    f.restart()
    val error = intercept[EventHubsException](f.latest(first))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED" && error.getMessageParameters.get("partition") == "0")
    f.retain(0 -> (3, 10))
    val second = f.planner.latestOffset(first, None)
    val flags = f.planned(first, second).map(range => range.partitionId -> range.startsAtEarliest)
    assert(flags == Seq(0 -> false, 1 -> true), "nothing of partition 1 was read yet")
  }

  test("the start of a specific sequence number is no start 'earliest', whatever the options say later") {
    val f = fixture(1, "eventhubs.startingPosition" -> "2")
    f.retain(0 -> (0, 10))
    val start = f.planner.initialOffset
    f.retain(0 -> (4, 12))
    f.restart()
    assert(condition(f.latest(start)) == "EVENTHUBS_DATA_LOSS.EXPIRED")
  }

  test("a Real-Time batch that starts at 'earliest' counts events that expired before it, once") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 10))
    val start = f.planner.initialOffset
    f.retain(0 -> (4, 12))
    for (_ <- 1 to 2) {
      val range = f.planner.openBatch(start).ranges.head
      assert(range.fromSeqNo == 4 && range.startsAtEarliest)
    }
    assert(f.lost == 0 && f.skipped == 4)
  }
}
