package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.eventhubs.connection.FakePartition
import org.apache.spark.eventhubs.ownership.{GroupOwnership, MemoryOwnershipStore, NoRenewal, OwnedPartitions, OwnerId}
import testkit.TestSuite

/** Batches after a claim: other consumers of the group may have read on. */
class TakeOverPlanSuite extends TestSuite with PlannerTests {

  private class Owned {
    val f = fixture(2, earliest)
    f.retain(0 -> (0L, 20L), 1 -> (0L, 20L))
    val store = new MemoryOwnershipStore(f.clock)
    var checkpoints = Map.empty[Int, Long]
    restart()

    /** Another run of the query, which has claimed its partitions. */
    def restart(): Unit = {
      val owned = new OwnedPartitions(store, OwnerId("spark-a", "run"), 60000, f.clock)
      f.ownership = Some(new GroupOwnership(owned, TestSettings.hub, "$Default", () => checkpoints, NoRenewal))
      claim()
      f.restart()
    }

    /** Another consumer has had the partitions for a while. */
    def takeBack(): Unit = {
      f.ownership.foreach(_.release())
      claim()
    }

    private def claim(): Unit = assert(f.ownership.exists(_.claim(Set(0, 1)).isEmpty))
  }

  test("the first batch after a claim starts where others have read to, and never before its own position") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.checkpoints = Map(0 -> 12L, 1 -> 3L)
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
      val claimed = o.f.planner.partitions(start)
      assert(claimed == Set(0, 1, 2) && o.f.latest(start, limit).keySet == claimed)
    }
  }

  test("a limit counts from where others have read to") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.checkpoints = Map(0 -> 12L)
    // Of 8 and 15 events, in proportion and rounded down.
    assert(o.f.latest(start, Some(10)) == Map(0 -> 15L, 1 -> 11L))
  }

  test("checkpoints of claimed partitions are published before the first batch is planned, as of a repeated batch") {
    val o = new Owned
    o.checkpoints = Map(0 -> 12L)
    o.f.planner.noteTakenOver()
    assert(o.f.ownership.exists(owned => owned.mayPublish(0, 12) && !owned.mayPublish(0, 11)))
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.f.latest(start)
    assert(o.f.ranges(start, o.f.offset(0 -> 20L, 1 -> 20L)) == Map(0 -> (12L, 20L), 1 -> (5L, 20L)))
  }

  test("a batch that was planned has the same ranges after a restart, although others have read on since") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    val end = o.f.offset(0 -> 20L, 1 -> 20L)
    o.checkpoints = Map(0 -> 12L)
    o.f.latest(start)
    o.checkpoints = Map(0 -> 17L, 1 -> 17L)
    o.restart()
    assert(o.f.ranges(start, end) == Map(0 -> (12L, 20L), 1 -> (5L, 20L)))
  }

  test("when others have read all, the batch is empty and ends at their position") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 20L)
    o.checkpoints = Map(0 -> 20L)
    assert(o.f.latest(start) == Map(0 -> 20L, 1 -> 20L))
    assert(o.f.ranges(start, o.f.offset(0 -> 20L, 1 -> 20L)).isEmpty)
  }

  test("checkpoints of a recreated hub's predecessor move nothing") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.f.latest(start)
    o.f.recreate(0 -> (0L, 30L), 1 -> (0L, 30L))
    o.checkpoints = Map(0 -> 25L)
    o.restart()
    assert(condition(o.f.latest(start)) == "EVENTHUBS_DATA_LOSS.RECREATED")
  }

  test("events that others have processed exist, although the service's last answer does not have them yet") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.f.latest(start)
    // The planner's cached answer is from before.
    o.f.hub.partitions(0).latest = 25
    o.checkpoints = Map(0 -> 25L)
    o.takeBack()
    assert(o.f.latest(start) == Map(0 -> 25L, 1 -> 20L) && o.f.lost == 0)
  }

  test("a checkpoint beyond the hub's end is data loss") {
    val o = new Owned
    o.checkpoints = Map(0 -> 500L)
    assert(condition(o.f.latest(o.f.offset(0 -> 5L, 1 -> 5L))) == "EVENTHUBS_DATA_LOSS.RECREATED")
  }

  test("AvailableNow ends where others have read to, when that is past its target") {
    val o = new Owned
    val start = o.f.offset(0 -> 5L, 1 -> 5L)
    o.f.planner.prepareForAvailableNow()
    assert(o.f.latest(start, Some(10)) == Map(0 -> 10L, 1 -> 10L))
    val next = o.f.offset(0 -> 10L, 1 -> 10L)
    o.f.retain(0 -> (0L, 40L), 1 -> (0L, 40L))
    o.checkpoints = Map(0 -> 30L)
    o.takeBack()
    assert(o.f.latest(next) == Map(0 -> 30L, 1 -> 20L))
    assert(o.f.ranges(next, o.f.offset(0 -> 30L, 1 -> 20L)) == Map(1 -> (10L, 20L)))
  }
}
