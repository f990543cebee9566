package org.apache.spark.eventhubs.client

import java.time.Duration
import java.util.concurrent.atomic.AtomicBoolean

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.{EventHubsException, TestSettings}
import org.apache.spark.util.{Clock, SystemClock}

class CachedEventHubsReceiverSuite extends AnyFunSuite {

  private val key = ReceiverKey(TestSettings.stream().connection, "dashboards", 0, None, TestSettings.scope)
  private val never = () => false

  private class Fixture(
      clock: Clock = new SystemClock,
      from: Long = 0,
      sizing: PrefetchSizing = PrefetchSizing.fixed(100),
      silence: Duration = Duration.ofMillis(200)
  ) {
    val hub = new FakeHub(1)
    val partition = hub.partitions(0)
    partition.latest = 100000
    val pool = new ClientConnectionPool(hub.connect, clock)
    var tooMany = 0
    lazy val receiver = new CachedEventHubsReceiver(
      key,
      from,
      pool.borrow(key.connection, 1),
      sizing,
      ReceiverPatience(silence, Duration.ofSeconds(2), Duration.ofMinutes(5)),
      clock,
      () => tooMany += 1
    )

    def read(until: Long, isFollowed: Boolean = true): Seq[Long] = {
      receiver.startRange(until, isFollowed)
      val seqNos = Seq.newBuilder[Long]
      while (receiver.nextSeqNo < until) seqNos += advance()
      seqNos.result()
    }

    def advance(): Long = {
      assert(receiver.advance(never), "nothing came")
      receiver.event.sequenceNumber
    }
  }

  test("it delivers the events of a range in order") {
    val f = new Fixture
    assert(f.read(350) == (0L until 350L))
    assert(f.receiver.isContinuable)
  }

  test("the next range goes on, on the same link") {
    val f = new Fixture
    f.read(10)
    assert(f.read(25) == (10L until 25L))
    assert(f.hub.links.size == 1)
  }

  test("what came with the last range is there for the next one, though the link brings no more") {
    val f = new Fixture
    f.read(10)
    f.hub.links.head.onAsked = _ => ()
    assert(f.read(100) == (10L until 100L))
  }

  test("a range that starts in the middle of a partition opens its link there") {
    val f = new Fixture(from = 77)
    assert(f.read(80) == Seq(77L, 78L, 79L))
    assert(f.hub.links.map(_.link.fromSeqNo) == Seq(77))
  }

  test("it never has more on the way or waiting than its credit") {
    val f = new Fixture(sizing = PrefetchSizing.fixed(16))
    f.receiver.startRange(1000)
    assert(f.hub.links.head.asked == 16)
    for (taken <- 1 to 100) {
      f.advance()
      assert(f.hub.links.head.asked - taken <= 16)
    }
  }

  test("credit is given back in pieces that are worth a round trip") {
    val f = new Fixture(sizing = PrefetchSizing.fixed(16))
    var asks = Seq.empty[Long]
    f.hub.upcoming.enqueue { link =>
      asks :+= link.asked
      link.serve()
    }
    f.read(64)
    assert(asks.last >= 64)
    assert(asks.init.zip(asks.tail).forall { case (before, after) => after - before >= 4 })
  }

  test("a range that no other follows asks for its own events and for none beyond") {
    val f = new Fixture(sizing = PrefetchSizing.fixed(16))
    assert(f.read(250, isFollowed = false) == (0L until 250L))
    assert(f.hub.links.map(_.asked) == Seq(250))
  }

  test("a link of many keeps its share of events for the next range, and reads that with its whole credit") {
    val sizing = new PrefetchSizing(1L << 20, fullLinks = 2)
    sizing.learn(1000, 100000)
    (1 to 7).foreach(_ => sizing.linkOpened())
    val f = new Fixture(sizing = sizing)
    val credit = sizing.prefetchCount
    f.read(10000)
    val link = f.hub.links.head
    assert(link.credit == credit)
    assert(link.asked - 10000 == credit * 2 / 8)
    f.receiver.startRange(20000)
    assert(link.asked - 10000 == credit)
  }

  test("a link that is closed leaves its share to the others, once") {
    val sizing = new PrefetchSizing(1L << 20, fullLinks = 2)
    (1 to 3).foreach(_ => sizing.linkOpened())
    val f = new Fixture(sizing = sizing)
    f.read(5)
    assert(sizing.waitingCount(1000) == 500)
    f.receiver.close()
    f.receiver.close()
    assert(sizing.waitingCount(1000) == 666)
  }

  test("a last range is complete though events before it used up what was asked for") {
    val f = new Fixture(from = 10)
    f.hub.upcoming.enqueue { link =>
      link.onAsked = _.serve()
      link.deliver(7, 8, 9)
      link.serve()
    }
    assert(f.read(20, isFollowed = false) == (10L until 20L))
    assert(f.hub.links.map(_.asked) == Seq(13))
  }

  test("events before the one asked for are passed over, and the range is complete nevertheless") {
    val f = new Fixture(from = 10)
    f.hub.upcoming.enqueue { link =>
      link.onAsked = _.serve()
      link.deliver(7, 8, 9)
      link.serve()
    }
    assert(f.read(20) == (10L until 20L))
  }

  test("a gap surfaces as the number of the event after it") {
    val f = new Fixture
    f.partition.missing = Set(3L, 4L)
    f.receiver.startRange(10)
    assert(Seq.fill(4)(f.advance()) == Seq(0L, 1L, 2L, 5L))
    assert(f.receiver.nextSeqNo == 6)
  }

  test("half way through a range no other one can go on") {
    val f = new Fixture
    f.receiver.startRange(10)
    f.advance()
    assert(!f.receiver.isContinuable)
  }

  test("after a gap over its end no other range can go on: its first event was taken") {
    val f = new Fixture
    f.partition.missing = Set(9L)
    f.receiver.startRange(10)
    assert(Seq.fill(10)(f.advance()).last == 10)
    assert(!f.receiver.isContinuable)
  }

  test("when the connection goes away it reopens at the next event") {
    val f = new Fixture
    f.hub.upcoming.enqueue { link => link.deliver(0, 1, 2); link.complete() }
    assert(f.read(10) == (0L until 10L))
    assert(f.hub.links.map(_.link.fromSeqNo) == Seq(0, 3))
    assert(f.receiver.timesReopened == 1)
  }

  test("a failure that may pass is survived, again and again, as long as it makes progress") {
    val f = new Fixture
    (0 until 8).foreach(i => f.hub.upcoming.enqueue { link => link.deliver(i); link.fail(SdkFailures.detached) })
    assert(f.read(10) == (0L until 10L))
    assert(f.hub.links.map(_.link.fromSeqNo) == (0 to 8))
  }

  test("a failure that does not pass in time fails with the facts") {
    val clock = new JumpingClock
    val f = new Fixture(clock)
    (0 until 1000).foreach(_ => f.hub.upcoming.enqueue(_.fail(SdkFailures.detached)))
    f.receiver.startRange(10)
    val error = intercept[EventHubsException] {
      while (!f.receiver.advance(never)) {}
    }
    assert(error.getMessage.contains("partition 0"))
    assert(error.getMessage.contains("dashboards"))
    assert(error.getCause eq SdkFailures.detached)
    assert(clock.getTimeMillis() >= 2000 && clock.getTimeMillis() < 8000)
  }

  test("a busy service is given the four seconds that it asks for") {
    val clock = new JumpingClock
    val f = new Fixture(clock, silence = Duration.ofSeconds(100))
    f.hub.upcoming.enqueue(_.fail(SdkFailures.busy))
    assert(f.read(5) == (0L until 5L))
    assert(clock.getTimeMillis() == 4000)
    assert(f.hub.links.size == 2)
  }

  test("waiting grows with each failed attempt and stays below five seconds") {
    val patience = ReceiverPatience(Duration.ofSeconds(3), Duration.ofMinutes(1), Duration.ofMinutes(5))
    assert((1 to 5).map(patience.backoffMillis) == Seq(50, 100, 200, 400, 800))
    assert(patience.backoffMillis(50) == 5000)
  }

  for (
    (name, failure, condition) <- Seq(
      ("a stolen link", SdkFailures.stolen, "EVENTHUBS_RECEIVER_DISCONNECTED"),
      ("a refused credential", SdkFailures.unauthorized, "EVENTHUBS_AUTHENTICATION")
    )
  )
    test(s"$name fails at once, and is not tried again") {
      val f = new Fixture
      f.hub.upcoming.enqueue(_.fail(failure))
      f.receiver.startRange(10)
      val error = intercept[EventHubsException](f.receiver.advance(never))
      assert(error.getCondition == condition)
      assert(f.hub.links.size == 1)
    }

  test("too many receivers: it asks that idle ones be closed, and tries again") {
    val f = new Fixture
    f.hub.upcoming.enqueue(_.fail(SdkFailures.tooManyReceivers))
    assert(f.read(3) == (0L until 3L))
    assert(f.tooMany == 1)
  }

  test("what arrived before a failure is delivered before it is dealt with") {
    val f = new Fixture
    f.hub.upcoming.enqueue { link => link.deliver(0, 1, 2, 3); link.fail(SdkFailures.stolen) }
    f.receiver.startRange(10)
    assert(Seq.fill(4)(f.advance()) == (0L until 4L))
    assertThrows[EventHubsException](f.receiver.advance(never))
  }

  test("silence is reported, and waiting can go on after it") {
    val f = new Fixture(silence = Duration.ofMillis(20))
    f.partition.latest = 0
    f.receiver.startRange(2)
    assert(!f.receiver.advance(never))
    f.hub.links.head.deliver(0, 1)
    assert(Seq.fill(2)(f.advance()) == Seq(0L, 1L))
  }

  test("a task that is stopped while it waits ends") {
    val f = new Fixture(silence = Duration.ofSeconds(100))
    f.partition.latest = 0
    val stop = new AtomicBoolean(false)
    val reading = Background {
      f.receiver.startRange(2)
      f.receiver.advance(() => stop.get)
    }
    reading.waitUntilSleeping()
    stop.set(true)
    assert(reading.failure.isInstanceOf[InterruptedException])
  }

  test("a thread that is interrupted while it waits ends") {
    val f = new Fixture(silence = Duration.ofSeconds(100))
    f.partition.latest = 0
    val reading = Background {
      f.receiver.startRange(2)
      f.receiver.advance(never)
    }
    reading.waitUntilSleeping()
    reading.interrupt()
    assert(reading.failure.isInstanceOf[InterruptedException])
  }

  test("an event that arrives while the task waits wakes it") {
    val f = new Fixture(silence = Duration.ofSeconds(100))
    f.partition.latest = 0
    val reading = Background(f.read(2))
    reading.waitUntilSleeping()
    f.hub.links.head.deliver(0, 1)
    assert(reading.result == Seq(0L, 1L))
  }

  test("the first link has credit for the largest events, and the next one for those that came") {
    val f = new Fixture(sizing = new PrefetchSizing(16L << 20, fullLinks = 4))
    assert(f.read(2000) == (0L until 2000L))
    assert(f.hub.links.head.credit == 16)
    assert(f.hub.links.last.credit >= 2000)
    assert(f.hub.links.size == 2)
  }

  test("credit shrinks as soon as a buffer's worth of larger events was seen") {
    val f = new Fixture(sizing = new PrefetchSizing(1L << 20, fullLinks = 4))
    f.read(5000)
    // What was sent ahead of the change is small.
    val sent = f.hub.links.last.link.fromSeqNo + f.hub.links.last.asked
    f.partition.bodyBytes = 100000
    f.read(sent + 100)
    assert(f.hub.links.last.credit <= 16)
  }

  test("what is no AMQP message fails with hub, partition and the number that was expected") {
    val broken = new Fixture(from = 7)
    broken.hub.upcoming += (link => link.deliverBytes(Array[Byte](1, 2, 3)))
    broken.receiver.startRange(10)
    val error = intercept[EventHubsException](broken.advance())
    assert(error.getCondition == "EVENTHUBS_MALFORMED_EVENT")
    assert(error.getMessage.contains("partition 0 for sequence number 7"))
  }

  test("closing it closes the link and gives the connection back") {
    val f = new Fixture
    f.read(5)
    f.receiver.close()
    assert(f.hub.openLinks.isEmpty)
    f.pool.evictIdle(0)
    assert(f.pool.size == 0)
  }
}
