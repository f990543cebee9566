package org.apache.spark.eventhubs.ownership

import java.time.{Duration, Instant}

import org.apache.spark.eventhubs.checkpoints.StoredCheckpoint
import org.apache.spark.eventhubs.options.OwnershipMode
import org.apache.spark.eventhubs.{EventHubsException, JumpingClock, TestSettings}
import org.apache.spark.util.{Clock, SystemClock}
import testkit.TestSuite

/** Tests the ownership of one hub, and of a query with several. */
class GroupOwnershipSuite extends TestSuite {

  private class Fixture(mode: OwnershipMode.Owned) {
    val clock = new JumpingClock
    val store = new MemoryOwnershipStore(clock)
    val owned = new OwnedPartitions(store, OwnerId("spark-a", "run-1"), expirationMillis = 60000, clock)
    var checkpoints = Map.empty[Int, Long]
    val group = of(owned, checkpoints)

    private def query(clock: Clock) = new QueryOwnership(
      mode,
      OwnerId("spark-a", "run-1"),
      Duration.ofMinutes(1),
      clock,
      () => true,
      _ => store,
      _ => Map.empty
    )

    /** @param checkpoints the next sequence numbers by the checkpoints in the store */
    def of(owned: OwnedPartitions, checkpoints: => Map[Int, Long]): GroupOwnership = {
      def stored = checkpoints.map { case (partition, next) =>
        partition -> StoredCheckpoint(s"$partition", Some(next - 1), None, Instant.now)
      }
      // The tests renew themselves.
      val renewal = new OwnershipRenewal(owned, Duration.ofDays(1), () => true)
      new GroupOwnership(owned, renewal, TestSettings.stream(), () => stored)
    }

    /** The next sequence numbers of what others have read. */
    def others(of: GroupOwnership = group): Map[Int, Long] = {
      of.noteReached()
      of.others.map { case (partition, checkpoint) => partition -> checkpoint.nextSeqNo.get }
    }

    /** Claims as at the start of a query. */
    def start(partitions: Set[Int], clock: Clock = clock): Unit =
      query(clock).ensure(() => group.claim(partitions), () => group.release())

    def startAll(groups: GroupOwnership*)(release: => Unit): Unit =
      query(clock).ensure(
        () => groups.iterator.flatMap(_.claim(Set(0))).find(_ => true),
        () => { groups.foreach(_.release()); release }
      )
  }

  test("fail: an active owner at the start is an error that names it") {
    val f = new Fixture(OwnershipMode.Fail)
    f.store.set(1, "processor-7")
    val error = intercept[EventHubsException](f.start(Set(0, 1)))
    assert(error.getCondition == "EVENTHUBS_OWNERSHIP.HELD" && error.getMessage.contains("owned by 'processor-7'"))
    assert(error.getMessageParameters.get("partition") == "1" && f.owned.partitions.isEmpty)
  }

  test("a lost partition is an error at the next batch, also for a query that waits at its start") {
    for (mode <- Seq(OwnershipMode.Fail, OwnershipMode.Wait)) {
      val f = new Fixture(mode)
      f.start(Set(0, 1))
      assert(f.group.ensure(Set(0, 1)) && !f.group.ensure(Set(0, 1)), "the first time, others may have read on")
      f.store.set(0, "processor-7")
      f.owned.renew()
      val error = intercept[EventHubsException](f.group.ensure(Set(0, 1)))
      assert(error.getCondition == "EVENTHUBS_OWNERSHIP.LOST")
      assert(error.getMessage.contains("partition 0 was lost: 'processor-7' has claimed it."))
      assert(f.owned.partitions == Set(1))
    }
  }

  test("a new partition of another owner stops a running query, which would keep the others while it waits") {
    for (mode <- Seq(OwnershipMode.Fail, OwnershipMode.Wait)) {
      val f = new Fixture(mode)
      f.start(Set(0, 1))
      f.store.set(2, "processor-7")
      val error = intercept[EventHubsException](f.group.ensure(Set(0, 1, 2)))
      assert(error.getCondition == "EVENTHUBS_OWNERSHIP.HELD" && error.getMessage.contains("owned by 'processor-7'"))
      assert(f.clock.getTimeMillis() == 0, "it does not wait")
    }
  }

  test("wait: a start waits until the lease of a dead owner expires") {
    val f = new Fixture(OwnershipMode.Wait)
    f.store.set(0, "processor-7")
    f.start(Set(0, 1))
    assert(f.owned.partitions == Set(0, 1) && f.clock.getTimeMillis() == 60000)
  }

  test("wait: a query that is stopped while it waits stops waiting") {
    val f = new Fixture(OwnershipMode.Wait)
    f.store.set(0, "processor-7")
    Thread.currentThread().interrupt()
    intercept[InterruptedException](f.start(Set(0), new SystemClock))
  }

  test("the checkpoints of claimed partitions count until a batch is planned with them") {
    val f = new Fixture(OwnershipMode.Wait)
    f.checkpoints = Map(0 -> 10L, 1 -> 20L, 9 -> 30L)
    assert(f.others().isEmpty)
    f.start(Set(0, 1))
    assert(f.others() == Map(0 -> 10L, 1 -> 20L))
    f.group.continuesAt(Map(0 -> 10L))
    assert(f.others() == Map(1 -> 20L), "the hub does not answer about the other one yet")
    f.group.continuesAt(Map(0 -> 10L, 1 -> 20L))
    assert(f.others().isEmpty)
    assert(f.group.ensure(Set(0, 1, 9)) && f.others() == Map(9 -> 30L), "a new partition of the hub")
  }

  test("checkpoints that cannot be read now are read at the next attempt") {
    val f = new Fixture(OwnershipMode.Fail)
    var fails = true
    val group = f.of(f.owned, if (fails) throw new IllegalStateException("down") else Map(0 -> 7L))
    assert(group.claim(Set(0)).isEmpty)
    intercept[IllegalStateException](group.noteReached())
    fails = false
    assert(f.others(group) == Map(0 -> 7L))
  }

  test("a checkpoint is news when the partition is owned and no consumer before has read as far") {
    val f = new Fixture(OwnershipMode.Wait)
    f.checkpoints = Map(0 -> 10L)
    assert(!f.group.mayPublish(0, 100))
    f.start(Set(0, 1))
    assert(!f.group.mayPublish(0, 100), "the store's checkpoints are not known yet")
    f.group.noteReached()
    assert(f.group.mayPublish(0, 10) && !f.group.mayPublish(0, 9) && f.group.mayPublish(1, 0))
    f.group.release()
    assert(!f.group.mayPublish(0, 100))
  }

  test("while a claim runs, no older checkpoint of the query replaces what the owner before has written") {
    val f = new Fixture(OwnershipMode.Wait)
    val partitions = (0 until 20).toSet
    f.start(partitions)
    f.group.noteReached()
    f.group.release()
    var published = false
    f.store.beforeClaim = _ => published |= partitions.exists(f.group.mayPublish(_, 100))
    assert(f.group.claim(partitions).isEmpty && !published)
    f.group.noteReached()
    assert(f.group.mayPublish(0, 100))
  }

  test("a claim that is refused leaves nothing to take over") {
    val f = new Fixture(OwnershipMode.Fail)
    f.checkpoints = Map(0 -> 10L, 1 -> 10L)
    f.store.set(1, "processor-7")
    assert(f.group.claim(Set(0, 1)).nonEmpty && f.others().isEmpty)
  }

  test("a checkpoint of events that the hub has lost does not stop the query from publishing its own") {
    val f = new Fixture(OwnershipMode.Wait)
    f.checkpoints = Map(0 -> 10L, 1 -> 10L)
    f.start(Set(0, 1))
    f.group.noteReached()
    f.group.continuesAt(Map(0 -> 0L, 1 -> 10L))
    assert(f.group.mayPublish(0, 0) && !f.group.mayPublish(1, 9) && f.group.mayPublish(1, 10))
  }

  test("of several hubs, the query owns all or none while it waits, so that others with the same hubs can proceed") {
    val f = new Fixture(OwnershipMode.Wait)
    val second = new MemoryOwnershipStore(f.clock)
    val ofSecond =
      f.of(new OwnedPartitions(second, OwnerId("spark-a", "run-1"), expirationMillis = 60000, f.clock), Map.empty)
    second.set(0, "processor-7")
    var held = Vector.empty[Map[Int, String]]
    f.startAll(f.group, ofSecond)(held :+= f.store.owners)
    assert(held == Vector.fill(12)(Map(0 -> "")))
    assert(f.store.owners == Map(0 -> "spark-a/run-1") && second.owners == Map(0 -> "spark-a/run-1"))
  }
}
