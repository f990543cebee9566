package org.apache.spark.eventhubs.ownership

import java.io.IOException
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.eventhubs.JumpingClock
import org.apache.spark.eventhubs.background.ConcurrentCalls
import testkit.TestSuite

class OwnedPartitionsSuite extends TestSuite {

  private class Fixture {
    val clock = new JumpingClock
    val store = new MemoryOwnershipStore(clock)
    val owned = owner("run-1")

    def owner(run: String, query: String = "spark-a"): OwnedPartitions =
      new OwnedPartitions(store, OwnerId(query, run), expirationMillis = 60000, clock)

    def how: String = owned.loss.map(_.how).getOrElse("owned")
  }

  test("claims partitions that never had an owner, and released ones") {
    val f = new Fixture
    f.store.set(1, "")
    assert(f.owned.claim(Set(0, 1)).isEmpty && f.owned.partitions == Set(0, 1))
    assert(f.store.owners == Map(0 -> "spark-a/run-1", 1 -> "spark-a/run-1"))
  }

  test("an active owner of one partition keeps the query from claiming any") {
    val f = new Fixture
    f.store.set(1, "processor")
    assert(f.owned.claim(Set(0, 1)).contains(ActiveOwner(1, "processor")))
    assert(f.owned.partitions.isEmpty && f.store.owners == Map(1 -> "processor"))
  }

  test("a lease is claimed when it has expired, and not a millisecond before") {
    val f = new Fixture
    f.store.set(0, "processor")
    f.clock.advance(59999)
    assert(f.owned.claim(Set(0)).nonEmpty)
    f.clock.advance(1)
    assert(f.owned.claim(Set(0)).isEmpty && f.store.owners(0) == "spark-a/run-1")
  }

  test("another run of the same query is no other owner, and another query is") {
    val f = new Fixture
    assert(f.owned.claim(Set(0)).isEmpty)
    assert(f.owner("run-2", query = "spark-ab").claim(Set(0)).contains(ActiveOwner(0, "spark-a/run-1")))
    assert(f.owner("run-2").claim(Set(0)).isEmpty && f.store.owners(0) == "spark-a/run-2")
    f.owned.renew()
    assert(f.how == "'spark-a/run-2' has claimed it")
  }

  test("a run that a newer run of its query has replaced takes nothing back, as a driver that was cut off") {
    val f = new Fixture
    f.owned.claim(Set(0))
    f.owner("run-2").claim(Set(0))
    f.owned.renew()
    f.owned.release()
    assert(f.owned.claim(Set(0)).contains(ActiveOwner(0, "spark-a/run-2")))
    assert(f.store.owners(0) == "spark-a/run-2")
  }

  test("when another owner claims at the same moment, what was claimed is released") {
    val f = new Fixture
    f.store.beforeClaim = { case 1 => f.store.set(1, "processor"); case _ => () }
    assert(f.owned.claim(Set(0, 1)).contains(ActiveOwner(1, "processor")))
    assert(f.store.owners == Map(0 -> "", 1 -> "processor") && f.owned.partitions.isEmpty)
  }

  test("when the store fails in the middle of a claim, what was claimed is released") {
    val f = new Fixture
    f.store.beforeClaim = partition => if (partition == 1) throw new IOException("no answer")
    intercept[IOException](f.owned.claim(Set(0, 1)))
    assert(f.store.owners == Map(0 -> "") && f.owned.partitions.isEmpty)
  }

  test("renewed leases stay valid, and others do not claim them") {
    val f = new Fixture
    f.owned.claim(Set(0))
    (1 to 10).foreach { _ =>
      f.clock.advance(20000)
      f.owned.renew()
    }
    assert(f.owned.partitions == Set(0) && f.owned.loss.isEmpty)
    assert(f.owner("run-1", query = "spark-b").claim(Set(0)).contains(ActiveOwner(0, "spark-a/run-1")))
  }

  test("a renewal finds that another owner has claimed the partition, and the other partitions stay owned") {
    val f = new Fixture
    f.owned.claim(Set(0, 1))
    f.store.set(1, "processor")
    f.owned.renew()
    assert(f.owned.partitions == Set(0))
    assert(f.owned.loss.contains(OwnershipLoss(1, "'processor' has claimed it")))
    assert(f.store.owners(1) == "processor")
  }

  test("a partition that another owner claimed and released, and a deleted blob, are lost too") {
    val f = new Fixture
    f.owned.claim(Set(0))
    f.store.set(0, "")
    f.owned.renew()
    assert(f.how == "another owner claimed it and has released it")
    f.owned.release()
    f.owned.claim(Set(0))
    f.store.delete(0)
    f.owned.renew()
    assert(f.how == "its ownership blob was deleted")
  }

  test("a renewal whose answer was lost is recognised as this run's own") {
    val f = new Fixture
    f.owned.claim(Set(0))
    f.store.losesAnswers = Set(0)
    f.owned.renew()
    f.store.losesAnswers = Set.empty
    f.clock.advance(20000)
    f.owned.renew()
    assert(f.owned.loss.isEmpty && f.owned.partitions == Set(0))
    f.clock.advance(40000)
    assert(f.owned.partitions.isEmpty, "for others the lease began with the renewal that was stored")
  }

  test("what the store confirmed counts, also when it does not answer about a partition that it refused") {
    val f = new Fixture
    f.owned.claim(Set(0, 1, 2))
    f.store.losesAnswers = Set(0)
    f.owned.renew()
    f.store.losesAnswers = Set.empty
    f.store.listsAreDown = true
    f.clock.advance(50000)
    f.owned.renew()
    f.clock.advance(20000)
    assert(f.owned.partitions == Set(1, 2))
    f.owned.release()
    assert(f.store.owners.filter(_._2.isEmpty).keySet == Set(1, 2))
  }

  test("a claim that is interrupted releases what the store has confirmed") {
    val f = new Fixture
    val (answered, slow) = (new CountDownLatch(2), new CountDownLatch(1))
    f.store.beforeClaim = partition =>
      if (partition == 1) { slow.countDown(); new CountDownLatch(1).await() }
      else answered.countDown()
    val claims = new Thread(() =>
      try { f.owned.claim(Set(0, 1, 2)); () }
      catch { case _: InterruptedException => () }
    )
    claims.start()
    Seq(answered, slow).foreach(_.await(30, TimeUnit.SECONDS))
    eventually("two are claimed")(f.store.owners.size == 2)
    claims.interrupt()
    claims.join()
    assert(f.store.owners == Map(0 -> "", 2 -> "") && f.owned.partitions.isEmpty)
  }

  test("a store that is down costs no lease until the lease expires, and then all of them") {
    val f = new Fixture
    f.owned.claim(Set(0, 1))
    f.store.isDown = true
    f.clock.advance(59999)
    f.owned.renew()
    assert(f.owned.loss.isEmpty && f.owned.partitions == Set(0, 1))
    f.clock.advance(1)
    assert(f.owned.partitions.isEmpty && f.how == "it could not be renewed within 60 s")
  }

  test("release empties the owner, forgets the losses and leaves another owner's blob alone") {
    val f = new Fixture
    f.owned.claim(Set(0, 1))
    f.store.set(1, "processor")
    f.owned.renew()
    f.owned.release()
    assert(f.store.owners == Map(0 -> "", 1 -> "processor"))
    assert(f.owned.loss.isEmpty && f.owned.partitions.isEmpty)
  }

  test("a release that the store does not answer is given up") {
    val f = new Fixture
    f.owned.claim(Set(0, 1))
    f.store.isDown = true
    f.owned.release()
    assert(f.owned.partitions.isEmpty)
  }

  test("a renewal and a release end early when the store answers none of several calls at a time") {
    val f = new Fixture
    f.owned.claim((0 to 39).toSet)
    val calls = new AtomicInteger
    f.store.beforeClaim = _ => { calls.incrementAndGet(); () }
    f.store.isDown = true
    f.owned.renew()
    assert(calls.getAndSet(0) == ConcurrentCalls.AtATime && f.owned.partitions.size == 40)
    f.owned.release()
    assert(calls.get == ConcurrentCalls.AtATime && f.owned.partitions.isEmpty && f.owned.loss.isEmpty)
  }

  test("a busy store has answered: each lease is tried") {
    val f = new Fixture
    f.owned.claim((0 to 39).toSet)
    val calls = new AtomicInteger
    f.store.beforeClaim = _ => {
      calls.incrementAndGet()
      throw new IllegalStateException("server busy")
    }
    f.owned.release()
    assert(calls.get == 40)
  }

  test("a renewal begins with the oldest leases, because the one before may have ended early") {
    val f = new Fixture
    f.owned.claim((0 to 19).toSet)
    f.clock.advance(20000)
    f.store.beforeClaim = partition => if (partition >= 8) throw new IOException("no answer")
    f.owned.renew()
    f.clock.advance(30000)
    f.store.beforeClaim = partition => if (partition < 8) throw new IOException("no answer")
    f.owned.renew()
    f.clock.advance(20000)
    assert(f.owned.partitions == (0 to 19).toSet)
  }

  test("a query releases before a long renewal ends, and can be stopped while it waits for its turn") {
    val f = new Fixture
    f.owned.claim((0 to 15).toSet)
    val (begun, answers) = (new CountDownLatch(ConcurrentCalls.AtATime), new CountDownLatch(1))
    f.store.beforeClaim = _ => { begun.countDown(); answers.await() }
    val renewal = new Thread(() => f.owned.renew())
    def waitingRelease(): Thread = {
      val release = new Thread(() =>
        try f.owned.release()
        catch { case _: InterruptedException => () }
      )
      release.start()
      eventually("it waits for its turn")(release.getState == Thread.State.WAITING)
      release
    }
    try {
      renewal.start()
      assert(begun.await(30, TimeUnit.SECONDS))
      val stopped = waitingRelease()
      stopped.interrupt()
      stopped.join(30000)
      assert(!stopped.isAlive && f.owned.partitions.size == 16)
      val release = waitingRelease()
      answers.countDown()
      Seq(renewal, release).foreach(_.join(30000))
      assert(f.store.writes.count(!_.startsWith("-")) == 16 + ConcurrentCalls.AtATime)
      assert(f.store.owners.values.toSeq == Seq.fill(16)("") && f.owned.loss.isEmpty)
    } finally answers.countDown()
  }

  test("a slow store claims, renews and releases several partitions at a time") {
    val f = new Fixture
    val all = (0 to 9).toSet
    def waitsForOthers(work: => Unit): Unit = {
      val others = new CountDownLatch(4)
      f.store.beforeClaim = _ => { others.countDown(); assert(others.await(30, TimeUnit.SECONDS)); () }
      work
    }
    waitsForOthers(assert(f.owned.claim(all).isEmpty && f.owned.partitions == all))
    waitsForOthers(f.owned.renew())
    waitsForOthers(f.owned.release())
    assert(f.store.owners.size == 10 && f.store.owners.forall(_._2.isEmpty))
  }

  test("a partition that is added later is claimed without writing the others") {
    val f = new Fixture
    f.owned.claim(Set(0))
    f.owned.claim(Set(0, 1))
    assert(f.store.writes == Vector("0", "1") && f.owned.partitions == Set(0, 1))
  }
}
