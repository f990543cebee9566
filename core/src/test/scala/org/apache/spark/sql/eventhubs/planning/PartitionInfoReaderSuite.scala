package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.Try

import org.apache.spark.eventhubs.connection.{ClientConnectionPool, FakeHub, FakePartition, SdkFailures}
import org.apache.spark.eventhubs.service.Known
import org.apache.spark.eventhubs.{EventHubsException, JumpingClock, TestSettings}
import testkit.TestSuite

class PartitionInfoReaderSuite extends TestSuite {

  private class Fixture(partitions: Int, options: (String, String)*) {
    val hub = new FakeHub(partitions)
    val clock = new JumpingClock
    val pool = new ClientConnectionPool(hub.connect, clock)
    val info = new PartitionInfoReader(TestSettings.stream(options: _*), pool, clock)
  }

  test("all partitions are in a snapshot") {
    assert(new Fixture(4).info.snapshot().bounds.keySet == Set(0, 1, 2, 3))
  }

  test("the calls of one trigger share one answer, which expires after a moment") {
    val f = new Fixture(4)
    f.info.snapshot()
    f.clock.advance(100)
    f.info.snapshot()
    assert(f.hub.boundsCalls == 1)
    f.clock.advance(1000)
    f.info.snapshot()
    assert(f.hub.boundsCalls == 2)
  }

  test("queries of a hub with many partitions never reach the service's limit of 50 calls a second") {
    val f = new Fixture(1024)
    val minutes = 10
    for (_ <- 1 to minutes * 60 * 20) {
      f.info.snapshot()
      f.clock.advance(50)
    }
    assert(f.hub.boundsCalls * 1025.0 / (minutes * 60) < 25)
    assert(f.hub.boundsCalls >= minutes, "and often enough to see what is new")
  }

  /** Questions wait until the test lets them be answered. */
  private class SlowFixture extends Fixture(4) {
    private val mayAnswer = new CountDownLatch(1)
    info.snapshot()
    hub.partitions(0).latest = 7
    @volatile var hasStopped = false
    hub.onQuestion = () =>
      try mayAnswer.await(60, TimeUnit.SECONDS)
      catch {
        case stopped: InterruptedException =>
          hasStopped = true
          throw stopped
      }
    clock.advance(300)

    def answer(): Unit = mayAnswer.countDown()
    def known: Long = info.snapshotIfEnough(_ => true).bounds(0).latest
    def newest(): Long = info.snapshot().bounds(0).latest
  }

  test("a known state that is enough is used while the service is asked, once") {
    val f = new SlowFixture
    assert(f.known == 0 && f.known == 0)
    f.answer()
    eventually("the answer has come")(f.known == 7)
    assert(f.newest() == 7 && f.hub.boundsCalls == 2)
  }

  test("who needs the newest state waits for the answer to the question that is asked already") {
    val f = new SlowFixture
    assert(f.known == 0)
    eventually("the question is asked")(f.hub.stateCalls == 1)
    // As many milliseconds as answers are kept.
    f.clock.advance(300)
    val found = new AtomicLong
    val waiting = new Thread(() => found.set(f.newest()))
    waiting.start()
    eventually("it waits")(waiting.getState == Thread.State.WAITING)
    f.answer()
    waiting.join(60000)
    assert(found.get == 7 && f.hub.stateCalls == 1)
  }

  test("a state is not enough for ever, nor for a caller that wants another one") {
    val f = new SlowFixture
    f.answer()
    assert(f.info.snapshotIfEnough(_ => false).bounds(0).latest == 7)
    f.hub.partitions(0).latest = 9
    f.clock.advance(1001)
    assert(f.known == 9)
  }

  test("after a question that failed no known state is enough, until another question is answered") {
    val f = new SlowFixture
    f.hub.unanswered = Some(SdkFailures.notFound)
    assert(f.known == 0)
    f.answer()
    eventually("it has failed")(Try(f.known).isFailure)
    assert(Try(f.known).isFailure)
    f.hub.unanswered = None
    assert(f.known == 7)
  }

  test("in a query of several hubs only the newest state is enough") {
    val f = new SlowFixture
    f.answer()
    val info = new PartitionInfoReader(TestSettings.stream(), f.pool, f.clock, hubs = () => 2)
    assert(info.snapshot().bounds(0).latest == 7)
    f.hub.partitions(0).latest = 9
    f.clock.advance(600)
    assert(info.snapshotIfEnough(_ => true).bounds(0).latest == 9)
  }

  test("an answer under way is forgotten when the state is in doubt") {
    val f = new SlowFixture
    assert(f.known == 0)
    eventually("the question is asked")(f.hub.stateCalls == 1)
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    f.hub.onQuestion = () => ()
    val known = f.info.snapshotIfEnough(_ => true)
    def ofThis(state: HubSnapshot) = state.generation.time == f.hub.createdAt
    val found = f.info.confirmed(known, state => if (ofThis(state)) Map.empty[Int, Known] else Map(0 -> Known(99)))
    eventually("the thread waits no more")(f.hasStopped)
    assert(!ofThis(known) && ofThis(found) && ofThis(f.info.snapshotIfEnough(_ => true)))
  }

  test("a question that is under way ends when the reader closes") {
    val f = new SlowFixture
    assert(f.known == 0)
    eventually("the question is asked")(f.hub.stateCalls == 1)
    f.info.close()
    eventually("the thread waits no more")(f.hasStopped)
  }

  test("the second query of a hub asks about the hub and its partitions at once") {
    val f = new Fixture(4, "eventhubs.partitions" -> "0,2")
    f.info.snapshot()
    f.info.close()
    val second = new PartitionInfoReader(TestSettings.stream("eventhubs.partitions" -> "0,2"), f.pool, f.clock)
    val states = f.hub.stateCalls
    assert(second.snapshot().bounds.keySet == Set(0, 2))
    assert(f.hub.stateCalls == states + 1 && f.hub.boundsCalls == 2, "one round trip for both questions")
  }

  test("partitions that the hub no longer has are forgotten by the next query") {
    val f = new Fixture(4)
    f.info.snapshot()
    f.info.close()
    Seq(1, 2, 3).foreach(f.hub.partitions.remove)
    f.hub.partitions(7) = new FakePartition
    val next = new PartitionInfoReader(TestSettings.stream(), f.pool, f.clock)
    assert(next.snapshot().bounds.keySet == Set(0, 7))
  }

  test("added partitions, and a hub recreated with fewer, are in the next snapshot") {
    val f = new Fixture(4)
    assert(f.info.snapshot().bounds.keySet == Set(0, 1, 2, 3))
    f.hub.partitions(4) = new FakePartition
    f.clock.advance(1000)
    assert(f.info.snapshot().bounds.keySet == Set(0, 1, 2, 3, 4))
    Seq(1, 2, 3, 4).foreach(f.hub.partitions.remove)
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    f.clock.advance(1000)
    val snapshot = f.info.snapshot()
    assert(snapshot.bounds.keySet == Set(0) && snapshot.generation.time == f.hub.createdAt)
  }

  test("the partitions outside a chosen subset stay known in later snapshots") {
    val f = new Fixture(4, "eventhubs.partitions" -> "0,2")
    f.info.snapshot()
    f.clock.advance(1000)
    f.hub.partitions(2).latest = 7
    val snapshot = f.info.snapshot()
    assert(snapshot.unread == Set(1, 3) && snapshot.bounds(2).latest == 7)
  }

  test("a snapshot has only the chosen subset of the partitions") {
    assert(new Fixture(8, "eventhubs.partitions" -> "0,2,5-7").info.snapshot().bounds.keySet == Set(0, 2, 5, 6, 7))
  }

  test("a partition that does not exist is refused, with the existing ids") {
    val error = intercept[EventHubsException](new Fixture(4, "eventhubs.partitions" -> "2-5").info.snapshot())
    assert(error.getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(error.getMessage.contains("0 to 3"))
  }

  test("the reader borrows one connection and returns it") {
    val f = new Fixture(2)
    f.info.close()
    f.pool.evictIdle(0)
    assert(f.pool.size == 0)
  }
}
