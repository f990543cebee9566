package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.eventhubs.{EventHubsException, NameAndPartition}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import testkit.TestSuite

class HubPlannerSuite extends TestSuite with PlannerTests {

  test("a query starts where its options say, and keeps that start over restarts while the hub moves on") {
    val f = fixture(2)
    f.retain(0 -> (0, 10), 1 -> (0, 20))
    val first = f.planner.initialOffset
    assert(first == f.offset(0 -> 10, 1 -> 20))
    f.retain(0 -> (0, 15), 1 -> (0, 25))
    f.restart()
    assert(f.planner.initialOffset == first)
    assert(f.latest(first) == Map(0 -> 15, 1 -> 25))
  }

  test("without a limit a batch ends where the partitions end") {
    val f = fixture(2, earliest)
    f.retain(0 -> (0, 10), 1 -> (5, 20))
    assert(f.latest(f.planner.initialOffset) == Map(0 -> 10, 1 -> 20))
    assert(f.ranges(f.offset(0 -> 0, 1 -> 5), f.offset(0 -> 10, 1 -> 20)) == Map(0 -> (0, 10), 1 -> (5, 20)))
  }

  test("with a limit the batches are those of the legacy connector") {
    val f = fixture(4, earliest, "maxEventsPerTrigger" -> "100")
    f.retain(0 -> (0, 250), 1 -> (0, 200), 2 -> (0, 150), 3 -> (0, 40))
    val first = f.planner.latestOffset(f.planner.initialOffset, Some(100))
    val second = f.planner.latestOffset(first, Some(100))
    val third = f.planner.latestOffset(second, Some(100))
    assert(first == f.offset(0 -> 39, 1 -> 31, 2 -> 23, 3 -> 6))
    assert(second == f.offset(0 -> 78, 1 -> 62, 2 -> 46, 3 -> 12))
    assert(third == f.offset(0 -> 116, 1 -> 93, 2 -> 69, 3 -> 18))
  }

  test("without new events the offset stays the same, so that Spark makes no batch") {
    val f = fixture(2, earliest)
    f.retain(0 -> (0, 10), 1 -> (0, 0))
    val end = f.planner.latestOffset(f.planner.initialOffset, None)
    assert(f.planner.latestOffset(end, None) == end)
  }

  test("empty partitions give no range") {
    val f = fixture(3, earliest)
    assert(f.ranges(f.offset(0 -> 1, 1 -> 2, 2 -> 3), f.offset(0 -> 1, 1 -> 5, 2 -> 3)) == Map(1 -> (2, 5)))
  }

  test("the ranges of a batch depend on its offsets only, without a call to the service") {
    val f = fixture(2)
    val before = f.hub.boundsCalls
    val planned = f.ranges(f.offset(0 -> 1, 1 -> 2), f.offset(0 -> 5, 1 -> 9))
    f.restart()
    assert(f.ranges(f.offset(0 -> 1, 1 -> 2), f.offset(0 -> 5, 1 -> 9)) == planned)
    assert(f.hub.boundsCalls == before)
  }

  test("long ranges are divided as the options say") {
    val f = fixture(1, "eventhubs.maxEventsPerTask" -> "4")
    val parts = f.planned(f.offset(0 -> 0), f.offset(0 -> 10)).map(r => (r.fromSeqNo, r.untilSeqNo))
    assert(parts == Seq((0, 3), (3, 6), (6, 10)))
  }

  test("a partition that was added is read from its first event, the same when the batch is replayed") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 10))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.retain(1 -> (0, 5))
    val end = f.planner.latestOffset(known, None)
    assert(end == f.offset(0 -> 10, 1 -> 5))
    assert(f.ranges(known, end) == Map(1 -> (0, 5)))
    f.retain(1 -> (3, 8))
    f.restart()
    assert(f.ranges(known, end) == Map(1 -> (0, 5)), "the task reports events that expired in the meantime")
    assert(f.lost == 0)
  }

  test("an added partition that lost its first events before it was first read is data loss") {
    val strict = fixture(1, earliest)
    strict.retain(0 -> (0, 10), 1 -> (4, 9))
    assert(condition(strict.latest(strict.offset(0 -> 10))) == "EVENTHUBS_DATA_LOSS.EXPIRED")

    val tolerant = fixture(1, earliest, lenient)
    tolerant.retain(0 -> (0, 10), 1 -> (4, 9))
    assert(tolerant.latest(tolerant.offset(0 -> 10), Some(3)) == Map(0 -> 10, 1 -> 7), "the limit counts what exists")
    assert(tolerant.ranges(tolerant.offset(0 -> 10), tolerant.offset(0 -> 10, 1 -> 7)) == Map(1 -> (0, 7)))
  }

  test("a removed partition is data loss: an error, or counted and skipped") {
    val strict = fixture(2)
    strict.remove(1)
    val error = intercept[EventHubsException](strict.latest(strict.offset(0 -> 0, 1 -> 5)))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.PARTITION_REMOVED")
    assert(error.getMessageParameters.get("partition") == "1")

    val tolerant = fixture(2, lenient)
    tolerant.retain(0 -> (0, 3))
    tolerant.remove(1)
    assert(tolerant.latest(tolerant.offset(0 -> 0, 1 -> 5)) == Map(0 -> 3, 1 -> 5))
    assert(tolerant.lost == 1)
  }

  test("a removed partition, tolerated, keeps its position, counts once and is continued when the hub has it again") {
    val f = fixture(2, lenient)
    f.retain(0 -> (0, 3), 1 -> (0, 9))
    f.remove(1)
    val first = f.planner.latestOffset(f.offset(0 -> 0, 1 -> 5), None)
    f.retain(0 -> (0, 6))
    val second = f.planner.latestOffset(first, None)
    assert(second == f.offset(0 -> 6, 1 -> 5))
    assert(f.ranges(first, second) == Map(0 -> (3, 6)))
    assert(f.planner.latestOffset(second, None, isDue = _ => false) == second, "no batch before its time")
    assert(f.close(f.planner.openBatch(second), Map(0 -> 6L)) == f.offset(0 -> 6, 1 -> 5))
    f.retain(0 -> (0, 6), 1 -> (0, 12))
    val third = f.planner.latestOffset(second, None)
    assert(third == f.offset(0 -> 6, 1 -> 12))
    assert(f.ranges(second, third) == Map(1 -> (5, 12)))
    assert(f.lost == 1)
  }

  test("a removed partition keeps its position when it is back during AvailableNow, and waits for the next run") {
    val f = fixture(2, lenient)
    f.retain(0 -> (0, 6))
    f.remove(1)
    f.planner.prepareForAvailableNow()
    val first = f.planner.latestOffset(f.offset(0 -> 0, 1 -> 5), Some(3))
    f.retain(1 -> (0, 12))
    val second = f.planner.latestOffset(first, Some(100))
    assert(second == f.offset(0 -> 6, 1 -> 5))
    f.planner.prepareForAvailableNow()
    assert(f.latest(second, None) == Map(0 -> 6, 1 -> 12))
  }

  test("a repeated batch of a partition that the option named is read, whatever the option says now") {
    val f = fixture(2, "eventhubs.partitions" -> "0")
    f.retain(0 -> (0, 4), 1 -> (50, 60))
    val ranges = f.planned(f.offset(0 -> 4), f.offset(0 -> 4, 1 -> 60))
    assert(ranges.map(range => (range.partitionId, range.fromSeqNo, range.untilSeqNo)) == Seq((1, 0L, 60L)))
    assert(ranges.forall(_.startsAtEarliest), "the task skips and counts the expired events")
  }

  test("a partition that the option names later starts at its first retained event, and nothing counts as lost") {
    for (loss <- Seq("true", "false")) {
      val f = fixture(2, "eventhubs.partitions" -> "0-1", "failOnDataLoss" -> loss)
      f.retain(0 -> (0, 4), 1 -> (50, 60))
      val start = f.offset(0 -> 4)
      val end = f.planner.latestOffset(start, None)
      assert(end == f.offset(0 -> 4, 1 -> 60))
      f.restart()
      val range = f.planned(start, end).head
      assert((range.partitionId, range.fromSeqNo, range.untilSeqNo) == ((1, 50L, 60L)))
      assert(range.startsAtEarliest, "events that expire before the task runs are no loss either")
      val open = f.planner.openBatch(start).ranges
      assert(open.map(r => r.fromSeqNo -> r.startsAtEarliest) == Seq(4 -> false, 50 -> true))
      assert(f.lost == 0)
    }
  }

  test("a planned batch of a partition that the option names later keeps its range: the task counts what has expired") {
    val f = fixture(2, "eventhubs.partitions" -> "0-1")
    f.retain(0 -> (0, 4), 1 -> (50, 60))
    val start = f.offset(0 -> 4)
    val end = f.planner.latestOffset(start, None)
    f.retain(0 -> (0, 4), 1 -> (90, 99))
    f.restart()
    val range = f.planned(start, end).head
    assert((range.partitionId, range.fromSeqNo, range.untilSeqNo, range.startsAtEarliest) == ((1, 50L, 60L, true)))
  }

  test("partitions that the query no longer reads are an error of their own, not removed partitions") {
    val f = fixture(3, "eventhubs.partitions" -> "0,2")
    val error = intercept[EventHubsException](f.latest(f.offset(0 -> 0, 1 -> 5, 2 -> 0)))
    assert(error.getCondition == "EVENTHUBS_PARTITIONS_NARROWED")
    assert(error.getMessage.contains("partition 1 until sequence number 5"))
    assert(error.getMessage.contains("'eventhubs.partitions'"))
  }

  test("partitions that the query no longer reads, tolerated, keep their position, and nothing counts as lost") {
    val f = fixture(3, "eventhubs.partitions" -> "0,2", lenient)
    f.retain(0 -> (0, 4), 1 -> (0, 50), 2 -> (0, 6))
    val start = f.offset(0 -> 1, 1 -> 5, 2 -> 0)
    val end = f.planner.latestOffset(start, None)
    assert(end == f.offset(0 -> 4, 1 -> 5, 2 -> 6))
    assert(f.ranges(start, end) == Map(0 -> (1, 4), 2 -> (0, 6)))
    assert(f.planner.latestOffset(end, None) == end, "no batch without news")
    assert(f.close(f.planner.openBatch(end), Map(0 -> 9L, 2 -> 8L)) == f.offset(0 -> 9, 1 -> 5, 2 -> 8))
    assert(f.lost == 0)
  }

  test("a Real-Time batch counts expired events when it is planned, and its ranges start after them") {
    val f = fixture(2, lenient)
    f.retain(0 -> (8, 20), 1 -> (0, 3))
    val from = f.planner.openBatch(f.offset(0 -> 5, 1 -> 3)).ranges.map(r => r.partitionId -> r.fromSeqNo)
    assert(from == Seq(0 -> 8, 1 -> 3))
    assert(f.lost == 3)
    val strict = fixture(1)
    strict.retain(0 -> (8, 20))
    assert(condition(strict.planner.openBatch(strict.offset(0 -> 5))) == "EVENTHUBS_DATA_LOSS.EXPIRED")
  }

  test("a Real-Time batch continues where the last one ended, although the cached answer of the service is older") {
    val f = fixture(200, earliest)
    f.retain(0 -> (0, 10))
    val batch = f.planner.openBatch(f.planner.initialOffset)
    val asked = f.hub.boundsCalls
    f.hub.partitions(0).latest = 25
    val end = f.close(batch, (0 until 200).map(id => id -> (if (id == 0) 25L else 0L)).toMap)
    assert(f.planner.openBatch(end).ranges.head.fromSeqNo == 25)
    assert(f.planner.newest() == end)
    assert(f.hub.boundsCalls == asked, "within the rate limit for this number of partitions")
  }

  test("a batch that known events fill is planned while the service is asked for newer ones") {
    for (isAvailableNow <- Seq(false, true)) {
      val f = fixture(2, earliest)
      f.retain(0 -> (0, 100), 1 -> (0, 100))
      if (isAvailableNow) f.planner.prepareForAvailableNow()
      val start = f.offset(f.latest(f.planner.initialOffset, Some(2)).toSeq: _*)
      val mayAnswer = new CountDownLatch(1)
      f.askInBackground()
      f.hub.onQuestion = () => mayAnswer.await(60, TimeUnit.SECONDS)
      f.hub.partitions(0).latest = 200
      f.clock.advance(300)
      assert(f.latest(start, Some(20)) == Map(0 -> 11L, 1 -> 11L))
      assert(f.planner.newest().of("telemetry") == Map(0 -> 100L, 1 -> 100L))
      mayAnswer.countDown()
      eventually("the answer has come")(f.planner.newest().of("telemetry") == Map(0 -> 200L, 1 -> 100L))
    }
  }

  test("a batch that known events do not fill has the newest ones, when the last trigger was a while ago") {
    for (limit <- Seq(Some(20L), None)) {
      val f = fixture(2, earliest)
      f.retain(0 -> (0, 5), 1 -> (0, 5))
      val start = f.planner.initialOffset
      f.hub.partitions(0).latest = 8
      f.clock.advance(300)
      assert(f.latest(start, limit) == Map(0 -> 8L, 1 -> 5L))
    }
  }

  test("the end of AvailableNow is that of the newest events") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 50))
    val start = f.planner.initialOffset
    f.planner.prepareForAvailableNow()
    f.hub.partitions(0).latest = 70
    f.clock.advance(200)
    f.latest(start, Some(20))
    assert(f.planner.availableNowEnd.contains(Map(NameAndPartition("telemetry", 0) -> 70L)))
  }

  test("expired events are an error that names them") {
    val f = fixture(1)
    f.retain(0 -> (8, 20))
    val error = intercept[EventHubsException](f.latest(f.offset(0 -> 5)))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("fromSeqNo") == "5")
    assert(error.getMessageParameters.get("untilSeqNo") == "8")
  }

  test("tolerated expired events stay in the range, where the task counts them, and do not count towards the limit") {
    val f = fixture(1, lenient)
    f.retain(0 -> (8, 20))
    assert(f.latest(f.offset(0 -> 5), Some(4)) == Map(0 -> 12))
    assert(f.ranges(f.offset(0 -> 5), f.offset(0 -> 12)) == Map(0 -> (5, 12)))
    assert(f.lost == 0)
  }

  test("an offset of another hub is refused") {
    val f = fixture(1)
    val other = EventHubsSourceOffset("alerts", Map(0 -> 3L))
    assert(condition(f.latest(other)) == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
    assert(condition(f.planned(other, f.offset(0 -> 5))) == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
  }

  test("a checkpoint that has the hub's name in another case continues") {
    val f = fixture(1)
    f.retain(0 -> (0, 9))
    assert(f.ranges(EventHubsSourceOffset("Telemetry", Map(0 -> 5L)), f.offset(0 -> 9)) == Map(0 -> (5, 9)))
    assert(f.latest(EventHubsSourceOffset("Telemetry", Map(0 -> 5L))) == Map(0 -> 9))
  }

  test("AvailableNow ends at the events that exist at its first query, not at its preparation and not later") {
    val f = fixture(1, earliest, "maxEventsPerTrigger" -> "6")
    f.retain(0 -> (0, 10))
    f.planner.prepareForAvailableNow()
    f.retain(0 -> (0, 14))
    val batches = Iterator.iterate(f.planner.initialOffset) { start =>
      val end = f.planner.latestOffset(start, Some(6))
      f.retain(0 -> (0, f.hub.partitions(0).latest + 5))
      end
    }.take(5).toSeq
    assert(batches.map(_.of("telemetry")(0)) == Seq(0, 6, 12, 14, 14))
  }

  test("AvailableNow does not end early when an answer lacks events of its end") {
    val f = fixture(1, earliest, "maxEventsPerTrigger" -> "6")
    f.retain(0 -> (0, 10))
    f.planner.prepareForAvailableNow()
    val first = f.planner.latestOffset(f.planner.initialOffset, Some(6))
    f.clock.advance(60000)
    f.hub.partitions(0).lowAnswers ++= Seq(6, 6)
    assert(f.planner.latestOffset(first, Some(6)) == f.offset(0 -> 10))
    assert(f.hub.partitions(0).lowAnswers.isEmpty)
  }

  test("a partition that is added during AvailableNow waits for the next run") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 10))
    f.planner.prepareForAvailableNow()
    val end = f.planner.latestOffset(f.planner.initialOffset, None)
    f.retain(1 -> (0, 5))
    assert(f.planner.latestOffset(end, None) == end)
    f.planner.prepareForAvailableNow()
    assert(f.latest(end) == Map(0 -> 10, 1 -> 5))
  }

  test("a partition that disappears during AvailableNow is data loss") {
    val f = fixture(2, earliest)
    f.retain(0 -> (0, 10), 1 -> (0, 10))
    f.planner.prepareForAvailableNow()
    val end = f.planner.latestOffset(f.planner.initialOffset, Some(5))
    f.remove(1)
    assert(condition(f.latest(end)) == "EVENTHUBS_DATA_LOSS.PARTITION_REMOVED")
  }

  test("events that expire during AvailableNow are data loss") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 100))
    f.planner.prepareForAvailableNow()
    val end = f.planner.latestOffset(f.planner.initialOffset, Some(10))
    f.retain(0 -> (50, 100))
    assert(condition(f.latest(end)) == "EVENTHUBS_DATA_LOSS.EXPIRED")
  }
}
