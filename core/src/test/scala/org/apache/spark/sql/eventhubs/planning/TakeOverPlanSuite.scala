package org.apache.spark.sql.eventhubs.planning

import java.time.Instant

import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.eventhubs.connection.FakePartition
import org.apache.spark.eventhubs.ownership.{
  GroupOwnership,
  GroupProgress,
  MemoryOwnershipStore,
  NoRenewal,
  OwnedPartitions,
  OwnerId
}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import testkit.TestSuite

/** Batches after a claim: other consumers of the group may have read on. */
class TakeOverPlanSuite extends TestSuite with PlannerTests {

  private class Owned(more: (String, String)*) {
    val f = fixture(2, more :+ earliest: _*)
    f.retain(0 -> (0L, 20L), 1 -> (0L, 20L))
    private val leases = new MemoryOwnershipStore(f.clock)
    private var stored = Map.empty[Int, GroupProgress]
    restart()

    /**
     * Sets the checkpoints in the store.
     *
     * @param next   the next sequence numbers
     * @param offset of the last processed event, as the service gives it
     */
    def store(next: Map[Int, Long], offset: String = "4900", written: Instant = f.hub.createdAt): Unit =
      stored = next.map { case (partition, seqNo) =>
        partition -> GroupProgress(seqNo, Some(offset), written)
      }

    /** Another run of the query, which has claimed its partitions. */
    def restart(): Unit = {
      val owned = new OwnedPartitions(leases, OwnerId("spark-a", "run"), 3600000, f.clock)
      f.restart(Some(new GroupOwnership(owned, TestSettings.hub, "$Default", () => stored, NoRenewal)))
      claim()
    }

    /** Another consumer has had the partitions for a while. */
    def takeBack(): Unit = {
      f.ownership.foreach(_.release())
      claim()
    }

    /** The end of a batch whose partitions were claimed before. */
    def endAfterClaim(start: EventHubsSourceOffset): EventHubsSourceOffset = {
      val backlog = f.hubPlanner.backlogAfter(start, None)
      f.hubPlanner.endOf(backlog, backlog.events)
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

  test("a query that owns its partitions reads no partition that it could not claim before") {
    for (limit <- Seq(Some(4L), None)) {
      val o = new Owned
      val start = o.f.offset(0 -> 5L, 1 -> 5L)
      o.f.latest(start, limit)
      o.f.hub.partitions(2) = new FakePartition
      o.f.clock.advance(300)
      val claimed = o.f.hubPlanner.partitions(start)
      o.claim(claimed)
      assert(claimed == Set(0, 1, 2) && o.f.latest(start, limit).keySet == claimed)
    }
  }

  test("a partition that is added between the claim and the plan waits for the next claim, and loses nothing") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 20L)
    o.f.retain(2 -> (0L, 3L))
    assert(o.f.hubPlanner.openBatch(start).ranges.map(_.partitionId) == Seq(0, 1))
    val first = o.endAfterClaim(start)
    assert(first == o.f.offset(0 -> 20L, 1 -> 20L))
    o.claim(o.f.hubPlanner.partitions(first))
    val second = o.f.planner.latestOffset(first, None)
    assert(o.f.ranges(first, second) == Map(2 -> (0L, 3L)))
  }

  test("a partition that is back since the claim keeps its position until the next claim, and is no loss") {
    for (loss <- Seq("true", "false")) {
      val o = new Owned("failOnDataLoss" -> loss)
      val start = o.f.offset(0 -> 5L, 1 -> 5L)
      o.f.ownership.foreach(_.release())
      o.claim(Set(0))
      val first = o.endAfterClaim(start)
      assert(first == o.f.offset(0 -> 20L, 1 -> 5L))
      assert(o.f.ranges(start, first) == Map(0 -> (5L, 20L)))
      assert(o.f.hubPlanner.openBatch(start).ranges.map(_.partitionId) == Seq(0))
      o.claim(o.f.hubPlanner.partitions(first))
      val second = o.f.planner.latestOffset(first, None)
      assert(o.f.ranges(first, second) == Map(1 -> (5L, 20L)))
      assert(o.f.lost == 0)
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
    o.f.hubPlanner.noteTakenOver()
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
    o.f.latest(start)
    // The planner's cached answer is from before.
    o.f.hub.partitions(0).latest = 25
    o.store(Map(0 -> 25L))
    o.takeBack()
    assert(o.f.latest(start) == Map(0 -> 25L, 1 -> 20L) && o.f.lost == 0)
  }

  test("a checkpoint beyond the hub's end is data loss") {
    val o = new Owned
    o.store(Map(0 -> 500L))
    assert(condition(o.f.latest(o.f.offset(0 -> 5L, 1 -> 5L))) == "EVENTHUBS_DATA_LOSS.RECREATED")
  }

  test("AvailableNow ends where others have read to, when that is past its target") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.f.planner.prepareForAvailableNow()
    assert(o.f.latest(start, Some(10)) == Map(0 -> 10L, 1 -> 10L))
    val next = o.f.offset(0 -> 10L, 1 -> 10L)
    o.f.retain(0 -> (0L, 40L), 1 -> (0L, 40L))
    o.store(Map(0 -> 30L))
    o.takeBack()
    assert(o.f.latest(next) == Map(0 -> 30L, 1 -> 20L))
    assert(o.f.ranges(next, o.f.offset(0 -> 30L, 1 -> 20L)) == Map(1 -> (10L, 20L)))
  }
}
