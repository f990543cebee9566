package org.apache.spark.eventhubs.ownership

import java.time.{Duration, Instant}

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
    val group = of(() => checkpoints)

    /** @param checkpoints the next sequence numbers by the checkpoints in the store */
    def of(checkpoints: () => Map[Int, Long]): GroupOwnership = {
      def stored = checkpoints().map { case (partition, next) =>
        partition -> GroupProgress(next, None, Instant.now)
      }
      new GroupOwnership(owned, TestSettings.hub, "$Default", () => stored, NoRenewal)
    }

    /** The next sequence numbers of what was claimed since the last call. */
    def takenOver(from: GroupOwnership = group): Map[Int, Long] =
      from.takenOver().map { case (partition, progress) => partition -> progress.nextSeqNo }

    def ensure(partitions: Set[Int], clock: Clock = clock): Unit =
      new QueryOwnership(
        mode,
        Duration.ofSeconds(5),
        clock
      ).ensure(() => group.claim(partitions), () => group.release())

    def error(partitions: Set[Int]): EventHubsException = intercept[EventHubsException](ensure(partitions))
  }

  test("fail: an active owner at the start is an error that names it") {
    val f = new Fixture(OwnershipMode.Fail)
    f.store.set(1, "processor-7")
    val error = f.error(Set(0, 1))
    assert(error.getCondition == "EVENTHUBS_OWNERSHIP.HELD" && error.getMessage.contains("owned by 'processor-7'"))
    assert(error.getMessageParameters.get("partition") == "1" && !f.group.owns(0))
  }

  test("fail: a lost partition is an error at the next batch") {
    val f = new Fixture(OwnershipMode.Fail)
    f.ensure(Set(0, 1))
    f.ensure(Set(0, 1))
    f.store.set(0, "processor-7")
    f.owned.renew()
    val error = f.error(Set(0, 1))
    assert(error.getCondition == "EVENTHUBS_OWNERSHIP.LOST")
    assert(error.getMessage.contains("partition 0 was lost: 'processor-7' has claimed it."))
    assert(!f.group.owns(0) && f.group.owns(1))
  }

  test("wait: a start waits until the lease of a dead owner expires") {
    val f = new Fixture(OwnershipMode.Wait)
    f.store.set(0, "processor-7")
    f.ensure(Set(0, 1))
    assert(f.group.owns(0) && f.group.owns(1) && f.clock.getTimeMillis() == 60000)
  }

  test("wait: after a loss the query releases the other partitions, and claims all once they are free") {
    val f = new Fixture(OwnershipMode.Wait)
    f.ensure(Set(0, 1))
    f.store.set(0, "processor-7")
    f.owned.renew()
    var others = Vector.empty[Map[Int, String]]
    f.store.beforeClaim = _ => others :+= f.store.owners
    f.ensure(Set(0, 1))
    assert(others.contains(Map(0 -> "processor-7", 1 -> "")))
    assert(f.store.owners.values.toSet == Set("spark-a/run-1"))
  }

  test("wait: a query that is stopped while it waits stops waiting") {
    val f = new Fixture(OwnershipMode.Wait)
    f.store.set(0, "processor-7")
    Thread.currentThread().interrupt()
    intercept[InterruptedException](f.ensure(Set(0), new SystemClock))
  }

  test("the checkpoints of claimed partitions are given once after each claim") {
    val f = new Fixture(OwnershipMode.Wait)
    f.checkpoints = Map(0 -> 10L, 1 -> 20L, 9 -> 30L)
    assert(f.group.takenOver().isEmpty)
    f.ensure(Set(0, 1))
    assert(f.takenOver() == Map(0 -> 10L, 1 -> 20L) && f.takenOver().isEmpty)
    f.store.set(0, "processor-7")
    f.owned.renew()
    f.checkpoints = Map(0 -> 15L, 1 -> 20L)
    f.ensure(Set(0, 1))
    assert(f.takenOver() == Map(0 -> 15L, 1 -> 20L))
  }

  test("checkpoints that cannot be read now are read at the next attempt") {
    val f = new Fixture(OwnershipMode.Fail)
    var fails = true
    val group = f.of(() => if (fails) throw new IllegalStateException("down") else Map(0 -> 7L))
    assert(group.claim(Set(0)).isEmpty)
    intercept[IllegalStateException](group.takenOver())
    fails = false
    assert(f.takenOver(group) == Map(0 -> 7L))
  }

  test("a checkpoint is news when the partition is owned and no consumer before has read as far") {
    val f = new Fixture(OwnershipMode.Wait)
    f.checkpoints = Map(0 -> 10L)
    assert(!f.group.mayPublish(0, 100))
    f.ensure(Set(0, 1))
    assert(!f.group.mayPublish(0, 100), "the store's checkpoints are not known yet")
    f.group.takenOver()
    assert(f.group.mayPublish(0, 10) && !f.group.mayPublish(0, 9) && f.group.mayPublish(1, 0))
    f.group.release()
    assert(!f.group.mayPublish(0, 100))
  }

  test("while a claim runs, no older checkpoint of the query replaces what the owner before has written") {
    val f = new Fixture(OwnershipMode.Wait)
    val partitions = (0 until 20).toSet
    f.ensure(partitions)
    f.group.takenOver()
    f.group.release()
    var published = false
    f.store.beforeClaim = _ => published |= partitions.exists(f.group.mayPublish(_, 100))
    assert(f.group.claim(partitions).isEmpty && !published)
    f.group.takenOver()
    assert(f.group.mayPublish(0, 100))
  }

  test("what was released is not claimed: of several hubs, one that was missing at the next claim waits") {
    val f = new Fixture(OwnershipMode.Wait)
    f.ensure(Set(0, 1))
    assert(f.group.isClaimed && f.group.hasClaimed(1))
    f.group.release()
    assert(!f.group.isClaimed && !f.group.hasClaimed(1))
    f.ensure(Set(1))
    assert(!f.group.hasClaimed(0) && f.group.hasClaimed(1))
  }

  test("a claim that is refused leaves nothing to take over") {
    val f = new Fixture(OwnershipMode.Fail)
    f.checkpoints = Map(0 -> 10L, 1 -> 10L)
    f.store.set(1, "processor-7")
    assert(f.group.claim(Set(0, 1)).nonEmpty && f.takenOver().isEmpty)
  }

  test("a checkpoint of events that the hub has lost does not stop the query from publishing its own") {
    val f = new Fixture(OwnershipMode.Wait)
    f.checkpoints = Map(0 -> 10L, 1 -> 10L)
    f.ensure(Set(0, 1))
    f.group.takenOver()
    f.group.continuesAt(Map(0 -> 0L, 1 -> 10L))
    assert(f.group.mayPublish(0, 0) && !f.group.mayPublish(1, 9) && f.group.mayPublish(1, 10))
  }

  test("of several hubs, the query owns all or none while it waits, so that others with the same hubs can proceed") {
    val f = new Fixture(OwnershipMode.Wait)
    val second = new MemoryOwnershipStore(f.clock)
    val ofSecond = new GroupOwnership(
      new OwnedPartitions(second, OwnerId("spark-a", "run-1"), expirationMillis = 60000, f.clock),
      TestSettings.hub,
      "$Default",
      () => Map.empty,
      NoRenewal
    )
    second.set(0, "processor-7")
    var held = Vector.empty[Map[Int, String]]
    var released = 0
    val query = new QueryOwnership(OwnershipMode.Wait, Duration.ofSeconds(5), f.clock)
    query.ensure(
      () => f.group.claim(Set(0)).orElse(ofSecond.claim(Set(0))),
      () => {
        released += 1
        f.group.release()
        ofSecond.release()
        held :+= f.store.owners
      }
    )
    assert(released == 12 && held.forall(_ == Map(0 -> "")))
    assert(f.store.owners == Map(0 -> "spark-a/run-1") && second.owners == Map(0 -> "spark-a/run-1"))
  }
}
