package org.apache.spark.sql.eventhubs.planning

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.eventhubs.{EventHubsSourceOffset, TestSpark}

class StreamPlannerSuite extends AnyFunSuite with TestSpark {

  private val lenient = "failOnDataLoss" -> "false"
  private val earliest = "eventhubs.startingPosition" -> "earliest"

  private def fixture(partitions: Int, options: (String, String)*) = new PlannerFixture(spark, partitions, options: _*)

  private def condition(plan: => Any): String = intercept[EventHubsException](plan).getCondition

  test("a query starts where its options say, and that is kept over restarts though the hub moves on") {
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

  test("with a limit the legacy's golden batches come out") {
    val f = fixture(4, earliest, "maxEventsPerTrigger" -> "100")
    f.retain(0 -> (0, 250), 1 -> (0, 200), 2 -> (0, 150), 3 -> (0, 40))
    val first = f.planner.latestOffset(f.planner.initialOffset, Some(100))
    val second = f.planner.latestOffset(first, Some(100))
    val third = f.planner.latestOffset(second, Some(100))
    assert(first == f.offset(0 -> 39, 1 -> 31, 2 -> 23, 3 -> 6))
    assert(second == f.offset(0 -> 78, 1 -> 62, 2 -> 46, 3 -> 12))
    assert(third == f.offset(0 -> 116, 1 -> 93, 2 -> 69, 3 -> 18))
  }

  test("nothing new gives the same offset again, so that no batch is made") {
    val f = fixture(2, earliest)
    f.retain(0 -> (0, 10), 1 -> (0, 0))
    val end = f.planner.latestOffset(f.planner.initialOffset, None)
    assert(f.planner.latestOffset(end, None) == end)
  }

  test("empty partitions give no range") {
    val f = fixture(3, earliest)
    assert(f.ranges(f.offset(0 -> 1, 1 -> 2, 2 -> 3), f.offset(0 -> 1, 1 -> 5, 2 -> 3)) == Map(1 -> (2, 5)))
  }

  test("the ranges of a batch are made of its offsets alone, without asking the service") {
    val f = fixture(2)
    val before = f.hub.boundsCalls
    val planned = f.ranges(f.offset(0 -> 1, 1 -> 2), f.offset(0 -> 5, 1 -> 9))
    f.restart()
    assert(f.ranges(f.offset(0 -> 1, 1 -> 2), f.offset(0 -> 5, 1 -> 9)) == planned)
    assert(f.hub.boundsCalls == before)
  }

  test("long ranges are divided as the options say") {
    val f = fixture(1, "eventhubs.maxEventsPerTask" -> "4")
    val parts = f.planner.ranges(f.offset(0 -> 0), f.offset(0 -> 10)).map(r => (r.fromSeqNo, r.untilSeqNo))
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
    assert(f.ranges(known, end) == Map(1 -> (0, 5)), "what expired meanwhile is for the task to find")
    assert(f.lost == 0)
  }

  test("an added partition that has lost its first events before it was seen is data loss") {
    val strict = fixture(1, earliest)
    strict.retain(0 -> (0, 10), 1 -> (4, 9))
    assert(condition(strict.latest(strict.offset(0 -> 10))) == "EVENTHUBS_DATA_LOSS.EXPIRED")

    val tolerant = fixture(1, earliest, lenient)
    tolerant.retain(0 -> (0, 10), 1 -> (4, 9))
    assert(tolerant.latest(tolerant.offset(0 -> 10), Some(3)) == Map(0 -> 10, 1 -> 7), "the limit counts what exists")
    assert(tolerant.ranges(tolerant.offset(0 -> 10), tolerant.offset(0 -> 10, 1 -> 7)) == Map(1 -> (0, 7)))
  }

  test("a partition that was removed is data loss: an error, or counted and left out") {
    val strict = fixture(2)
    strict.remove(1)
    val error = intercept[EventHubsException](strict.latest(strict.offset(0 -> 0, 1 -> 5)))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.PARTITION_REMOVED")
    assert(error.getMessageParameters.get("partition") == "1")

    val tolerant = fixture(2, lenient)
    tolerant.retain(0 -> (0, 3))
    tolerant.remove(1)
    assert(tolerant.latest(tolerant.offset(0 -> 0, 1 -> 5)) == Map(0 -> 3))
    assert(tolerant.lost == 1)
  }

  test("partitions that the query no longer reads are no removed ones: an error that says so") {
    val f = fixture(3, "eventhubs.partitions" -> "0,2")
    val error = intercept[EventHubsException](f.latest(f.offset(0 -> 0, 1 -> 5, 2 -> 0)))
    assert(error.getCondition == "EVENTHUBS_PARTITIONS_NARROWED")
    assert(error.getMessage.contains("partition 1 until sequence number 5"))
    assert(error.getMessage.contains("'eventhubs.partitions'"))
  }

  test("partitions that the query no longer reads, tolerated, keep their place, and nothing is counted as lost") {
    val f = fixture(3, "eventhubs.partitions" -> "0,2", lenient)
    f.retain(0 -> (0, 4), 1 -> (0, 50), 2 -> (0, 6))
    val start = f.offset(0 -> 1, 1 -> 5, 2 -> 0)
    val end = f.planner.latestOffset(start, None)
    assert(end == f.offset(0 -> 4, 1 -> 5, 2 -> 6))
    assert(f.ranges(start, end) == Map(0 -> (1, 4), 2 -> (0, 6)))
    assert(f.planner.latestOffset(end, None) == end, "no batch without news")
    assert(f.planner.close(f.planner.openBatch(end), Map(0 -> 9L, 2 -> 8L)) == f.offset(0 -> 9, 1 -> 5, 2 -> 8))
    assert(f.lost == 0)
  }

  test("the place of a partition in a hub that is no more is not kept") {
    val f = fixture(2, "eventhubs.partitions" -> "0", lenient)
    f.retain(0 -> (0, 4), 1 -> (0, 50))
    val known = f.planner.latestOffset(f.offset(0 -> 1, 1 -> 5), None)
    f.recreate(0 -> (0, 2), 1 -> (0, 3))
    assert(f.planner.latestOffset(known, None) == f.offset(0 -> 2))
  }

  test("a Real-Time batch: expired events are counted when it is planned, and its ranges begin behind them") {
    val f = fixture(2, lenient)
    f.retain(0 -> (8, 20), 1 -> (0, 3))
    val from = f.planner.openBatch(f.offset(0 -> 5, 1 -> 3)).ranges.map(r => r.partitionId -> r.fromSeqNo)
    assert(from == Seq(0 -> 8, 1 -> 3))
    assert(f.lost == 3)
    val strict = fixture(1)
    strict.retain(0 -> (8, 20))
    assert(condition(strict.planner.openBatch(strict.offset(0 -> 5))) == "EVENTHUBS_DATA_LOSS.EXPIRED")
  }

  test("a Real-Time batch goes on where the last one came to, though that is newer than what the service said last") {
    val f = fixture(200, earliest)
    f.retain(0 -> (0, 10))
    val batch = f.planner.openBatch(f.planner.initialOffset)
    val asked = f.hub.boundsCalls
    f.hub.partitions(0).latest = 25
    val end = f.planner.close(batch, (0 until 200).map(id => id -> (if (id == 0) 25L else 0L)).toMap)
    assert(f.planner.openBatch(end).ranges.head.fromSeqNo == 25)
    assert(f.planner.newest() == end)
    assert(f.hub.boundsCalls == asked, "within the allowance of so many partitions")
  }

  test("a Real-Time batch begins a hub that was made anew once, though it ends where the old one did") {
    val f = fixture(1, earliest, lenient)
    f.retain(0 -> (0, 10))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.recreate(0 -> (0, 10))
    def from(start: EventHubsSourceOffset) = f.planner.openBatch(start).ranges.map(_.fromSeqNo)
    assert(from(known) == Seq(0))
    assert(from(known) == Seq(0), "a batch that failed begins there again")
    val end = f.planner.close(f.planner.openBatch(known), Map(0 -> 10L))
    assert(from(end) == Seq(10))
    assert(f.lost == 1)
    f.restart()
    assert(from(end) == Seq(10))
  }

  test("a replayed batch is of the hub that the checkpoint knows, so that its tasks find another one") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 10))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    val old = f.planner.resolveGeneration()
    f.recreate(0 -> (0, 30))
    f.restart()
    assert(f.ranges(f.planner.initialOffset, known) == Map(0 -> (0, 10)))
    assert(f.planner.resolveGeneration() == old)
  }

  test("expired events are an error that names them") {
    val f = fixture(1)
    f.retain(0 -> (8, 20))
    val error = intercept[EventHubsException](f.latest(f.offset(0 -> 5)))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("fromSeqNo") == "5")
    assert(error.getMessageParameters.get("untilSeqNo") == "8")
  }

  test("expired events, tolerated, stay in the range, where the task counts them, and take nothing of the limit") {
    val f = fixture(1, lenient)
    f.retain(0 -> (8, 20))
    assert(f.latest(f.offset(0 -> 5), Some(4)) == Map(0 -> 12))
    assert(f.ranges(f.offset(0 -> 5), f.offset(0 -> 12)) == Map(0 -> (5, 12)))
    assert(f.lost == 0)
  }

  test("a hub that was made anew is an error even when its numbers look plausible") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 10))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.recreate(0 -> (0, 30))
    assert(condition(f.latest(known)) == "EVENTHUBS_DATA_LOSS.RECREATED")
    f.restart()
    assert(condition(f.latest(known)) == "EVENTHUBS_DATA_LOSS.RECREATED")
  }

  test("a hub that was made anew, tolerated, is read from its beginning, the same when the batch is replayed") {
    val f = fixture(2, earliest, lenient)
    f.retain(0 -> (0, 10), 1 -> (0, 10))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.recreate(0 -> (0, 30), 1 -> (0, 2))
    val end = f.planner.latestOffset(known, None)
    assert(end == f.offset(0 -> 30, 1 -> 2))
    assert(f.ranges(known, end) == Map(0 -> (0, 30), 1 -> (0, 2)))
    assert(f.lost == 2)
    f.restart()
    assert(f.ranges(known, end) == Map(0 -> (0, 30), 1 -> (0, 2)))
    f.retain(0 -> (0, 31))
    assert(f.latest(end) == Map(0 -> 31, 1 -> 2))
    assert(f.ranges(end, f.offset(0 -> 31, 1 -> 2)) == Map(0 -> (30, 31)))
    assert(f.lost == 2)
  }

  test("a hub that was made anew is read past the numbers that the old one ended at, event by event") {
    for (limit <- Seq(1L, 5L, 50L, 100L, 1000L)) {
      val f = fixture(1, earliest, lenient)
      f.retain(0 -> (0, 10))
      var start = f.planner.latestOffset(f.planner.initialOffset, None)
      f.recreate(0 -> (0, 25))
      var read = Seq.empty[Long]
      var end = f.planner.latestOffset(start, Some(limit))
      while (end != start) {
        f.ranges(start, end).values.foreach { case (from, until) => read ++= (from until until) }
        start = end
        end = f.planner.latestOffset(start, Some(limit))
      }
      assert(read == (0L until 25L), s"with the limit $limit")
      assert(f.lost == 1)
    }
  }

  test("a hub that was made anew and ends where the old one did is read all the same") {
    val f = fixture(2, earliest, lenient)
    f.retain(0 -> (0, 1), 1 -> (0, 7))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.recreate(0 -> (0, 1), 1 -> (0, 7))
    val first = f.planner.latestOffset(known, None)
    assert(first != known)
    val firstRanges = f.planner.ranges(known, first)
    val second = f.planner.latestOffset(first, None)
    assert(second == f.offset(0 -> 1, 1 -> 7))
    val read = (firstRanges ++ f.planner.ranges(first, second))
      .flatMap(r => (r.fromSeqNo until r.untilSeqNo).map(r.partitionId -> _))
    assert(read.sorted == (Seq(0 -> 0L) ++ (0L until 7L).map(1 -> _)))
    assert(f.planner.latestOffset(second, None) == second)
  }

  test("a hub that was made anew and is still empty makes no batch after batch") {
    val f = fixture(1, earliest, lenient)
    f.retain(0 -> (0, 3))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.recreate(0 -> (0, 0))
    val empty = f.planner.latestOffset(known, None)
    assert(empty == f.offset(0 -> 0))
    assert(f.ranges(known, empty).isEmpty)
    assert(f.planner.latestOffset(empty, None) == empty)
  }

  test("numbers that went back in a hub of the same age, as after a failover, are data loss") {
    val strict = fixture(1)
    strict.retain(0 -> (0, 10))
    val error = intercept[EventHubsException](strict.latest(strict.offset(0 -> 25)))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")

    val tolerant = fixture(1, lenient)
    tolerant.retain(0 -> (0, 10))
    assert(tolerant.latest(tolerant.offset(0 -> 25)) == Map(0 -> 10))
    assert(tolerant.ranges(tolerant.offset(0 -> 25), tolerant.offset(0 -> 10)) == Map(0 -> (0, 10)))
    assert(tolerant.lost == 1)
  }

  test("an offset of another hub is refused") {
    val f = fixture(1)
    val other = EventHubsSourceOffset("alerts", Map(0 -> 3L))
    assert(condition(f.latest(other)) == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
    assert(condition(f.planner.ranges(other, f.offset(0 -> 5))) == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
  }

  test("a checkpoint that has the hub's name in other letters goes on") {
    val f = fixture(1)
    f.retain(0 -> (0, 9))
    assert(f.ranges(EventHubsSourceOffset("Telemetry", Map(0 -> 5L)), f.offset(0 -> 9)) == Map(0 -> (5, 9)))
    assert(f.latest(EventHubsSourceOffset("Telemetry", Map(0 -> 5L))) == Map(0 -> 9))
  }

  test("AvailableNow ends at what exists when it first asks, not when it is prepared, and not at what comes later") {
    val f = fixture(1, earliest, "maxEventsPerTrigger" -> "6")
    f.retain(0 -> (0, 10))
    f.planner.pinTarget()
    f.retain(0 -> (0, 14))
    val batches = Iterator.iterate(f.planner.initialOffset) { start =>
      val end = f.planner.latestOffset(start, Some(6))
      f.retain(0 -> (0, f.hub.partitions(0).latest + 5))
      end
    }.take(5).toSeq
    assert(batches.map(_.of("telemetry")(0)) == Seq(0, 6, 12, 14, 14))
  }

  test("a partition that is added during AvailableNow waits for the next run") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 10))
    f.planner.pinTarget()
    val end = f.planner.latestOffset(f.planner.initialOffset, None)
    f.retain(1 -> (0, 5))
    assert(f.planner.latestOffset(end, None) == end)
    f.planner.pinTarget()
    assert(f.latest(end) == Map(0 -> 10, 1 -> 5))
  }

  test("a partition that disappears during AvailableNow is data loss") {
    val f = fixture(2, earliest)
    f.retain(0 -> (0, 10), 1 -> (0, 10))
    f.planner.pinTarget()
    val end = f.planner.latestOffset(f.planner.initialOffset, Some(5))
    f.remove(1)
    assert(condition(f.latest(end)) == "EVENTHUBS_DATA_LOSS.PARTITION_REMOVED")
  }

  test("events that expire during AvailableNow are data loss") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 100))
    f.planner.pinTarget()
    val end = f.planner.latestOffset(f.planner.initialOffset, Some(10))
    f.retain(0 -> (50, 100))
    assert(condition(f.latest(end)) == "EVENTHUBS_DATA_LOSS.EXPIRED")
  }
}
