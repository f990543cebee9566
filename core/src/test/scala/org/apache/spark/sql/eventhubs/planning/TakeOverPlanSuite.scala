package org.apache.spark.sql.eventhubs.planning

import java.time.{Duration, Instant}

import org.apache.spark.eventhubs.checkpoints.StoredCheckpoint
import org.apache.spark.eventhubs.connection.FakePartition
import org.apache.spark.eventhubs.options.OwnershipMode
import org.apache.spark.eventhubs.ownership.{MemoryOwnershipStore, OwnerId, QueryOwnership}
import testkit.TestSuite

/** Batches after a claim: other consumers of the group may have read on. */
class TakeOverPlanSuite extends TestSuite with PlannerTests {

  private class Owned(more: (String, String)*) {
    val f = fixture(2, more :+ earliest: _*)
    f.retain(0 -> (0L, 20L), 1 -> (0L, 20L))
    val leases = new MemoryOwnershipStore(f.clock)
    private var stored = Map.empty[Int, StoredCheckpoint]
    restart()

    /**
     * Sets the checkpoints in the store.
     *
     * @param next   the next sequence numbers
     * @param offset of the last processed event, as the service gives it
     */
    def store(next: Map[Int, Long], offset: String = "4900", written: Instant = f.hub.createdAt): Unit =
      stored = next.map { case (partition, seqNo) =>
        partition -> StoredCheckpoint(s"$partition", Some(seqNo - 1), Some(offset), written)
      }

    /** Another run of the query, which has claimed its partitions. */
    def restart(): Unit = {
      val owner = OwnerId("spark-a", "run")
      f.restart(Some(new QueryOwnership(
        OwnershipMode.Fail,
        owner,
        Duration.ofHours(1),
        f.clock,
        () => true,
        _ => leases,
        _ => stored
      )))
      claim()
    }

    def claim(partitions: Set[Int] = Set(0, 1)): Unit = assert(f.ownership.exists(_.claim(partitions).isEmpty))
  }

  test("the first batch after a claim starts where others have read to, and never before its own position") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.store(Map(0 -> 12L, 1 -> 3L))
    assert(o.f.latest(start) == Map(0 -> 20L, 1 -> 20L))
    assert(o.f.ranges(start, o.f.offset(0 -> 20L, 1 -> 20L)) == Map(0 -> (12L, 20L), 1 -> (5L, 20L)))
  }

  test("a partition that is added to the hub is claimed by the batch that begins to read it, and loses nothing") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 20L)
    val first = o.f.planner.latestOffset(start, None)
    o.store(Map(2 -> 1L))
    o.f.retain(2 -> (0L, 3L), 3 -> (0L, 2L))
    val second = o.f.planner.latestOffset(first, None)
    assert(o.f.ranges(first, second) == Map(2 -> (1L, 3L), 3 -> (0L, 2L)))
    assert(o.leases.owners.keySet == Set(0, 1, 2, 3))
    o.f.retain(4 -> (0L, 1L))
    assert(o.f.hubPlanner.openBatch(second).ranges.map(_.partitionId) == (0 to 4))
    assert(o.leases.owners.keySet == Set(0, 1, 2, 3, 4))
  }

  test(
    "a new partition that others have read further than a known state says is asked about again, and loses nothing"
  ) {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 20L)
    o.f.retain(2 -> (0L, 3L))
    // The state is known before others read on, and the batch is planned with it.
    o.f.planner.newest()
    o.f.hub.partitions(2).latest = 50
    o.store(Map(2 -> 50L))
    val end = o.f.planner.latestOffset(start, None)
    assert(end.of("telemetry")(2) == 50 && o.f.lost == 0)
    assert(o.f.ownership.exists(owned => owned.mayPublish(2, 50) && !owned.mayPublish(2, 9)))
  }

  test("no batch reads a partition that is added to the hub and that another owner has") {
    val o = new Owned
    o.f.retain(2 -> (0L, 3L))
    o.leases.set(2, "processor-7")
    assert(condition(o.f.latest(o.f.offset(0 -> 5L, 1 -> 5L))) == "EVENTHUBS_OWNERSHIP.HELD")
    assert(condition(o.f.hubPlanner.openBatch(o.f.offset(0 -> 5L, 1 -> 5L))) == "EVENTHUBS_OWNERSHIP.HELD")
  }

  test("a stream that is behind plans with a state that it knows, and claims a new partition once it sees it") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.f.latest(start, Some(4))
    o.f.hub.partitions(2) = new FakePartition
    o.f.clock.advance(300)
    val planned = o.f.latest(start, Some(4)).keySet
    assert(planned.subsetOf(o.leases.owners.keySet))
    assert(o.f.latest(start, None).keySet == Set(0, 1, 2) && o.leases.owners.keySet == Set(0, 1, 2))
  }

  test("a partition that the answer at the start left out is claimed by the first batch, and is no loss") {
    for (loss <- Seq("true", "false")) {
      val o = new Owned("failOnDataLoss" -> loss)
      val start = o.f.offset(0 -> 5L, 1 -> 5L)
      o.f.ownership.foreach(_.release())
      o.claim(Set(0))
      val first = o.f.planner.latestOffset(start, None)
      assert(o.f.ranges(start, first) == Map(0 -> (5L, 20L), 1 -> (5L, 20L)))
      assert(o.leases.owners == Map(0 -> "spark-a/run", 1 -> "spark-a/run") && o.f.lost == 0)
    }
  }

  test("a claimed partition that the service denies for a while continues where others have read to") {
    val o = new Owned(lenient)
    o.store(Map(1 -> 12L))
    o.f.remove(1)
    val first = o.f.planner.latestOffset(o.f.offset(0 -> 5L, 1 -> 5L), None)
    assert(first == o.f.offset(0 -> 20L, 1 -> 5L))
    o.f.retain(0 -> (0L, 20L), 1 -> (0L, 20L))
    val second = o.f.planner.latestOffset(first, None)
    assert(o.f.ranges(first, second) == Map(1 -> (12L, 20L)))
  }

  test("a limit counts from where others have read to") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.store(Map(0 -> 12L))
    // Of 8 and 15 events, in proportion and rounded down.
    assert(o.f.latest(start, Some(10)) == Map(0 -> 15L, 1 -> 11L))
  }

  test("checkpoints of claimed partitions are published before the first batch is planned, as of a repeated batch") {
    val o = new Owned
    o.store(Map(0 -> 12L))
    o.f.ownership.foreach(_.noteReached())
    assert(o.f.ownership.exists(owned => owned.mayPublish(0, 12) && !owned.mayPublish(0, 11)))
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.f.latest(start)
    assert(o.f.ranges(start, o.f.offset(0 -> 20L, 1 -> 20L)) == Map(0 -> (12L, 20L), 1 -> (5L, 20L)))
  }

  test("a batch that was planned has the same ranges after a restart, although others have read on since") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    val end = o.f.offset(0 -> 20L, 1 -> 20L)
    o.store(Map(0 -> 12L))
    o.f.latest(start)
    o.store(Map(0 -> 17L, 1 -> 17L))
    o.restart()
    assert(o.f.ranges(start, end) == Map(0 -> (12L, 20L), 1 -> (5L, 20L)))
  }

  test("when others have read all, the batch is empty and ends at their position") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 20L)
    o.store(Map(0 -> 20L))
    assert(o.f.latest(start) == Map(0 -> 20L, 1 -> 20L))
    assert(o.f.ranges(start, o.f.offset(0 -> 20L, 1 -> 20L)).isEmpty)
  }

  test("checkpoints of a recreated hub's predecessor move nothing") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.f.latest(start)
    o.f.recreate(0 -> (0L, 30L), 1 -> (0L, 30L))
    o.store(Map(0 -> 25L))
    o.restart()
    assert(condition(o.f.latest(start)) == "EVENTHUBS_DATA_LOSS.RECREATED")
  }

  test("a query that knows the recreated hub ignores what its predecessor has left in the store") {
    val o = new Owned(lenient)
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    val before = o.f.hub.createdAt.plusSeconds(60)
    o.f.latest(start)
    o.f.recreate(0 -> (0L, 30L), 1 -> (0L, 30L))
    val end = o.f.planner.latestOffset(start, None)
    // The driver was killed before it published anything.
    o.store(Map(0 -> 35L), written = before)
    o.f.retain(0 -> (0L, 40L), 1 -> (0L, 40L))
    o.restart()
    assert(o.f.latest(end) == Map(0 -> 40L, 1 -> 40L))
    assert(o.f.ranges(end, o.f.offset(0 -> 40L, 1 -> 40L)) == Map(0 -> (30L, 40L), 1 -> (30L, 40L)))
  }

  test("a checkpoint of the epoch before a promotion skips no event of the promoted region") {
    for ((first, last) <- Seq((8L, 12L), (8L, 25L), (8L, 8L))) {
      val o = new Owned(lenient)
      val start = o.f.offset(0 -> 10L, 1 -> 20L)
      o.f.hub.partitions.values.foreach(_.firstOfEpoch = Seq(0L))
      o.f.clock.advance(60000)
      o.f.latest(start)
      o.f.hub.partitions(0).firstOfEpoch = Seq(0L, first)
      o.f.retain(0 -> (0L, last))
      o.store(Map(0 -> 10L), offset = "1:4900:9")
      o.restart()
      val end = o.f.planner.latestOffset(start, None)
      val read = o.f.ranges(start, end).get(0)
      assert(read.forall(_ == (first, last)) && read.isEmpty == (first == last), s"until $last")
    }
  }

  test("what others have processed of an earlier epoch counts up to the first event of the later one") {
    for ((next, from) <- Seq((14L, 14L), (17L, 15L))) {
      val o = new Owned(lenient)
      val start = o.f.offset(0 -> 10L, 1 -> 20L)
      o.f.hub.partitions(0).firstOfEpoch = Seq(0L, 15L)
      o.f.clock.advance(60000)
      o.f.latest(start)
      o.store(Map(0 -> next), offset = s"1:4900:${next - 1}")
      o.restart()
      assert(o.f.ranges(start, o.f.planner.latestOffset(start, None)) == Map(0 -> (from, 20L)))
    }
  }

  test("of a promoted region's events, those that others have processed are skipped") {
    val o = new Owned(lenient)
    val start = o.f.offset(0 -> 10L, 1 -> 20L)
    o.f.hub.partitions.values.foreach(_.firstOfEpoch = Seq(0L))
    o.f.clock.advance(60000)
    o.f.latest(start)
    o.f.hub.partitions(0).firstOfEpoch = Seq(0L, 8L)
    o.f.retain(0 -> (0L, 25L))
    o.store(Map(0 -> 15L), offset = "2:4900:14")
    o.restart()
    assert(o.f.ranges(start, o.f.planner.latestOffset(start, None)) == Map(0 -> (15L, 25L)))
  }

  test("what a partition has lost that is new in the batch after a claim is reported") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.store(Map(0 -> 12L))
    o.f.retain(2 -> (4L, 9L))
    o.claim(Set(0, 1, 2))
    assert(condition(o.f.latest(start)) == "EVENTHUBS_DATA_LOSS.EXPIRED")
  }

  test("events that others have processed exist, although the service's last answer does not have them yet") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    // The planner's cached answer is from before.
    o.f.planner.bounds()
    o.f.hub.partitions(0).latest = 25
    o.store(Map(0 -> 25L))
    assert(o.f.latest(start) == Map(0 -> 25L, 1 -> 20L) && o.f.lost == 0)
  }

  test("a checkpoint beyond the hub's end is data loss") {
    val o = new Owned
    o.store(Map(0 -> 500L))
    assert(condition(o.f.latest(o.f.offset(0 -> 5L, 1 -> 5L))) == "EVENTHUBS_DATA_LOSS.RECREATED")
  }
}
