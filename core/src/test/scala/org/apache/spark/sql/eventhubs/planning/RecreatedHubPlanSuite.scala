package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import testkit.TestSuite

/** What [[HubPlanner]] does when a hub was recreated, or failed over. */
class RecreatedHubPlanSuite extends TestSuite with PlannerTests {

  test("the position of an unread partition in a recreated hub is dropped") {
    val f = fixture(2, "eventhubs.partitions" -> "0", lenient)
    f.retain(0 -> (0, 4), 1 -> (0, 50))
    val known = f.planner.latestOffset(f.offset(0 -> 1, 1 -> 5), None)
    f.recreate(0 -> (0, 2), 1 -> (0, 3))
    assert(f.planner.latestOffset(known, None) == f.offset(0 -> 2))
  }

  test("a Real-Time batch reads a recreated hub from its beginning once, although it ends where the old hub ended") {
    val f = fixture(1, earliest, lenient)
    f.retain(0 -> (0, 10))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.recreate(0 -> (0, 10))
    def from(start: EventHubsSourceOffset) = f.planner.openBatch(start).ranges.map(_.fromSeqNo)
    assert(from(known) == Seq(0))
    assert(from(known) == Seq(0), "a batch that failed begins there again")
    val end = f.close(f.planner.openBatch(known), Map(0 -> 10L))
    assert(from(end) == Seq(10))
    assert(f.lost == 1)
    f.restart()
    assert(from(end) == Seq(10))
  }

  test("a replayed batch has the checkpoint's generation, so that its tasks detect another one") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 10))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    val old = f.planner.resolveGeneration(Nil)
    f.recreate(0 -> (0, 30))
    f.restart()
    assert(f.ranges(f.planner.initialOffset, known) == Map(0 -> (0, 10)))
    assert(f.planner.resolveGeneration(Nil) == old)
  }

  test("a recreated hub is an error even when its sequence numbers look plausible") {
    val f = fixture(1, earliest)
    f.retain(0 -> (0, 10))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.recreate(0 -> (0, 30))
    assert(condition(f.latest(known)) == "EVENTHUBS_DATA_LOSS.RECREATED")
    f.restart()
    assert(condition(f.latest(known)) == "EVENTHUBS_DATA_LOSS.RECREATED")
  }

  test("a tolerated recreated hub is read from its beginning, also when the batch is replayed") {
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

  test("a recreated hub is read past the old hub's last sequence numbers, event by event") {
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

  test("a recreated hub that ends where the old one ended is read") {
    val f = fixture(2, earliest, lenient)
    f.retain(0 -> (0, 1), 1 -> (0, 7))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.recreate(0 -> (0, 1), 1 -> (0, 7))
    val first = f.planner.latestOffset(known, None)
    assert(first != known)
    val firstRanges = f.planned(known, first)
    val second = f.planner.latestOffset(first, None)
    assert(second == f.offset(0 -> 1, 1 -> 7))
    val read = (firstRanges ++ f.planned(first, second))
      .flatMap(r => (r.fromSeqNo until r.untilSeqNo).map(r.partitionId -> _))
    assert(read.sorted == (Seq(0 -> 0L) ++ (0L until 7L).map(1 -> _)))
    assert(f.planner.latestOffset(second, None) == second)
  }

  test("a recreated hub that is still empty causes no repeated batches") {
    val f = fixture(1, earliest, lenient)
    f.retain(0 -> (0, 3))
    val known = f.planner.latestOffset(f.planner.initialOffset, None)
    f.recreate(0 -> (0, 0))
    val empty = f.planner.latestOffset(known, None)
    assert(empty == f.offset(0 -> 0))
    assert(f.ranges(known, empty).isEmpty)
    assert(f.planner.latestOffset(empty, None) == empty)
  }

  test("sequence numbers that go back in the same generation, as after a failover, are data loss") {
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
}
