package org.apache.spark.eventhubs.receive

import scala.collection.mutable

import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.eventhubs.connection.{FakeHub, FakeLink, SdkFailures}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.util.ManualClock
import testkit.TestSuite

/** What an executor tells the driver of events that no task waits for. */
class AnnouncerSuite extends TestSuite {

  import ReceiverCacheFixture.settings

  /** Each partition has 10 events. */
  private class Fixture(generation: HubGeneration = TestSettings.generation) {
    val hub = new FakeHub(4)
    hub.partitions.values.foreach(_.latest = 10)
    val clock = new ManualClock(0L)

    /** Partition -> next number, by message. */
    val told = mutable.ArrayBuffer.empty[Map[Int, Long]]
    val timers = mutable.Queue.empty[(Long, Runnable)]

    val resources = new ExecutorResources(
      hub.connect,
      _ => throw new AssertionError("nothing is written"),
      clock,
      new Announcer(
        proofs => told += proofs.map(proof => proof.partition -> proof.next).toMap,
        (millis, work) => timers += millis -> work
      )
    )

    def acquire(partition: Int, from: Long): CachedEventHubsReceiver =
      resources.receivers.acquire(settings, partition, generation, from, fresh = false)

    def consume(receiver: CachedEventHubsReceiver, until: Long): Unit = {
      receiver.startRange(until)
      while (receiver.nextSeqNo < until) assert(receiver.advance(() => false))
      receiver.markLinkVerified()
    }

    def read(partition: Int, from: Long, until: Long): CachedEventHubsReceiver = {
      val receiver = acquire(partition, from)
      consume(receiver, until)
      resources.receivers.release(receiver)
      receiver
    }

    def link(partition: Int): FakeLink = hub.links.filter(_.link.partitionId == partition).last

    def arrive(partition: Int, latest: Long): Unit = {
      hub.partitions(partition).latest = latest
      link(partition).serve()
    }

    /** Runs what is due, and returns after how many milliseconds it was. */
    def tick(): Seq[Long] = timers.dequeueAll(_ => true).toSeq.map { case (millis, work) =>
      work.run()
      millis
    }
  }

  test("events that come to idle links are announced together, as the next number of each partition") {
    val f = new Fixture
    Seq(0, 1).foreach(f.read(_, 0, 10))
    f.arrive(0, 12)
    f.arrive(1, 11)
    assert(f.told.isEmpty)
    assert(f.tick() == Seq(10))
    assert(f.told == Seq(Map(0 -> 12L, 1 -> 11L)))
  }

  test("later events of the same silence are announced too, twice a second") {
    val f = new Fixture
    f.read(0, 0, 10)
    f.arrive(0, 11)
    f.tick()
    Seq(12L, 13L, 20L).foreach(f.arrive(0, _))
    assert(f.tick() == Seq(500))
    assert(f.tick().isEmpty)
    f.arrive(0, 21)
    f.tick()
    assert(f.told == Seq(Map(0 -> 11L), Map(0 -> 20L), Map(0 -> 21L)))
  }

  test("what a task's receiver has beyond the range is announced when the task ends") {
    val f = new Fixture
    f.read(0, 0, 4)
    f.tick()
    assert(f.told == Seq(Map(0 -> 10L)))
  }

  test("an event that was read and belongs to the next range counts") {
    val f = new Fixture
    f.hub.partitions(0).missing = Set(5L)
    val receiver = f.acquire(0, 0)
    f.consume(receiver, 5)
    receiver.startRange(6)
    assert(receiver.advance(() => false))
    receiver.giveBack(6)
    f.resources.receivers.release(receiver)
    f.tick()
    assert(f.told == Seq(Map(0 -> 10L)))
  }

  test("nothing is announced of a link that a task has taken, nor of one that was evicted or stolen") {
    val f = new Fixture
    Seq(0, 1, 2).foreach(f.read(_, 0, 10))
    f.acquire(0, 10)
    Seq(0, 1).foreach(f.arrive(_, 11))
    f.link(2).fail(SdkFailures.stolen)
    f.clock.advance(600000)
    f.resources.evictIdle()
    f.tick()
    assert(f.told.isEmpty)
    f.arrive(1, 12)
    assert(f.tick().isEmpty)
  }

  test("nothing is announced of a link that has ended when its task ends") {
    val f = new Fixture
    val receiver = f.acquire(0, 0)
    f.consume(receiver, 4)
    f.link(0).fail(SdkFailures.stolen)
    f.resources.receivers.release(receiver)
    f.tick()
    assert(f.told.isEmpty)
  }

  test("a message that could not be sent costs that message only") {
    val f = new Fixture
    var sent = 0
    val timers = mutable.Queue.empty[Runnable]
    val announcer = new Announcer(
      _ => {
        sent += 1
        if (sent == 1) throw new IllegalStateException("no network")
      },
      (_, work) => { val _ = timers += work }
    )
    val resources = new ExecutorResources(f.hub.connect, _ => throw new AssertionError, f.clock, announcer)
    val receiver = resources.receivers.acquire(settings, 0, TestSettings.generation, 0, fresh = false)
    f.consume(receiver, 10)
    resources.receivers.release(receiver)
    f.arrive(0, 11)
    intercept[IllegalStateException](timers.dequeue().run())
    f.arrive(0, 12)
    timers.dequeue().run()
    assert(sent == 2)
  }

  test("nothing is announced before the hub of a link is verified, nor where any hub is meant") {
    val f = new Fixture
    val receiver = f.acquire(0, 0)
    receiver.startRange(4)
    while (receiver.nextSeqNo < 4) assert(receiver.advance(() => false))
    f.resources.receivers.release(receiver)
    val any = new Fixture(HubGeneration.Unchecked("reader"))
    any.read(0, 0, 4)
    assert(f.timers.isEmpty && any.timers.isEmpty)
  }
}
