package org.apache.spark.eventhubs.receive

import java.time.Duration
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.eventhubs.connection.SdkFailures
import org.apache.spark.eventhubs.{Background, EventHubsException, JumpingClock}
import testkit.TestSuite

class CachedEventHubsReceiverSuite extends TestSuite {

  private val never = () => false

  test("it delivers the events of a range in order") {
    val f = new ReceiverFixture
    assert(f.read(350) == (0L until 350L))
    assert(f.receiver.isContinuable)
  }

  test("the next range continues on the same link") {
    val f = new ReceiverFixture
    f.read(10)
    assert(f.read(25) == (10L until 25L))
    assert(f.hub.links.size == 1)
  }

  test("prefetched events are there for the next range, even if the link delivers no more") {
    val f = new ReceiverFixture
    f.read(10)
    f.hub.links.head.onAsked = _ => ()
    assert(f.read(100) == (10L until 100L))
  }

  test("a range that starts in the middle of a partition opens its link there") {
    val f = new ReceiverFixture(from = 77)
    assert(f.read(80) == Seq(77L, 78L, 79L))
    assert(f.hub.links.map(_.link.fromSeqNo) == Seq(77))
  }

  test("events before the start are skipped, and the range is complete") {
    val f = new ReceiverFixture(from = 10)
    f.deliverFirst(7, 8, 9)
    assert(f.read(20) == (10L until 20L))
  }

  test("a gap shows in the number of the event after it") {
    val f = new ReceiverFixture
    f.partition.missing = Set(3L, 4L)
    f.receiver.startRange(10)
    assert(Seq.fill(4)(f.advance()) == Seq(0L, 1L, 2L, 5L))
    assert(f.receiver.nextSeqNo == 6)
  }

  test("in the middle of a range no other range can continue") {
    val f = new ReceiverFixture
    f.receiver.startRange(10)
    f.advance()
    assert(!f.receiver.isContinuable)
  }

  test("after a gap over the end of the range no other range can continue: its first event was read") {
    val f = new ReceiverFixture
    f.partition.missing = Set(9L)
    f.receiver.startRange(10)
    assert(Seq.fill(10)(f.advance()).last == 10)
    assert(!f.receiver.isContinuable)
  }

  test("after a lost connection it reopens at the next event") {
    val f = new ReceiverFixture
    f.hub.upcoming.enqueue { link => link.deliver(0, 1, 2); link.complete() }
    assert(f.read(10) == (0L until 10L))
    assert(f.hub.links.map(_.link.fromSeqNo) == Seq(0, 3))
    assert(f.receiver.timesReopened == 1)
  }

  test("transient failures are retried while there is progress between them") {
    val f = new ReceiverFixture
    (0 until 8).foreach(i => f.hub.upcoming.enqueue { link => link.deliver(i); link.fail(SdkFailures.detached) })
    assert(f.read(10) == (0L until 10L))
    assert(f.hub.links.map(_.link.fromSeqNo) == (0 to 8))
  }

  test("a link that was open for long was no failure, although its partition is idle") {
    val clock = new JumpingClock
    val f = new ReceiverFixture(clock, from = 100000)
    f.receiver.startRange(Long.MaxValue)
    (0 until 5).foreach { _ =>
      clock.advance(3000)
      f.hub.upcoming.enqueue { link =>
        // The silence is over when the new link is open.
        clock.advance(200)
        link.serve()
      }
      f.hub.links.last.fail(SdkFailures.detached)
      assert(!f.receiver.advance(never))
    }
    assert(f.hub.links.size == 6)
  }

  test("a failure that lasts too long is reported with partition, consumer group and cause") {
    val clock = new JumpingClock
    val f = new ReceiverFixture(clock)
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

  test(
    "a start after the end of the partition returns at once, and the next call waits over a new link"
  ) {
    val f = new ReceiverFixture(new JumpingClock, from = 10, silence = Duration.ofSeconds(100))
    f.hub.upcoming.enqueue(_.fail(SdkFailures.beyondEnd))
    f.receiver.startRange(20)
    assert(!f.receiver.advance(never))
    assert(f.read(20) == (10L until 20L))
    assert(f.hub.links.map(_.link.fromSeqNo) == Seq(10, 10))
  }

  test("another argument error is permanent") {
    val f = new ReceiverFixture
    f.hub.upcoming.enqueue(_.fail(SdkFailures.wrongArgument))
    f.receiver.startRange(10)
    assert(intercept[EventHubsException](f.receiver.advance(never)).getCause eq SdkFailures.wrongArgument)
  }

  test("after a busy service it waits the four seconds that the service asks for") {
    val clock = new JumpingClock
    val f = new ReceiverFixture(clock, silence = Duration.ofSeconds(100))
    f.hub.upcoming.enqueue(_.fail(SdkFailures.busy))
    assert(f.read(5) == (0L until 5L))
    assert(clock.getTimeMillis() == 4000)
    assert(f.hub.links.size == 2)
  }

  test("a caller that waits for nothing is not kept waiting by a link that was refused") {
    val clock = new JumpingClock
    val f = new ReceiverFixture(clock, silence = Duration.ofSeconds(100))
    f.hub.upcoming.enqueue(_.fail(SdkFailures.busy))
    f.receiver.startRange(5)
    (0 until 10).foreach(_ => assert(!f.receiver.advanceWithin(never, 0)))
    assert(clock.getTimeMillis() == 0 && f.hub.links.size == 1)
    clock.advance(4000)
    f.receiver.advanceWithin(never, 0)
    assert(f.hub.links.size == 2 && f.receiver.advanceWithin(never, 0))
  }

  for (
    (name, failure, condition) <- Seq(
      ("a stolen link", SdkFailures.stolen, "EVENTHUBS_RECEIVER_DISCONNECTED"),
      ("a refused credential", SdkFailures.unauthorized, "EVENTHUBS_AUTHENTICATION")
    )
  )
    test(s"$name fails at once and is not retried") {
      val f = new ReceiverFixture
      f.hub.upcoming.enqueue(_.fail(failure))
      f.receiver.startRange(10)
      val error = intercept[EventHubsException](f.receiver.advance(never))
      assert(error.getCondition == condition)
      assert(f.hub.links.size == 1)
    }

  test("a stolen link of a query that owns its partitions is a lost ownership") {
    val f = new ReceiverFixture(isOwned = true)
    f.hub.upcoming.enqueue(_.fail(SdkFailures.stolen))
    f.receiver.startRange(10)
    val error = intercept[EventHubsException](f.receiver.advance(never))
    assert(error.getCondition == "EVENTHUBS_OWNERSHIP.LOST" && error.getMessageParameters.get("partition") == "0")
    assert(f.hub.links.size == 1)
  }

  test("when there are too many receivers it has idle ones closed, and retries") {
    val f = new ReceiverFixture
    f.hub.upcoming.enqueue(_.fail(SdkFailures.tooManyReceivers))
    assert(f.read(3) == (0L until 3L))
    assert(f.tooMany == 1)
  }

  test("events that arrived before a failure are delivered before the failure is handled") {
    val f = new ReceiverFixture
    f.hub.upcoming.enqueue { link => link.deliver(0, 1, 2, 3); link.fail(SdkFailures.stolen) }
    f.receiver.startRange(10)
    assert(Seq.fill(4)(f.advance()) == (0L until 4L))
    assertThrows[EventHubsException](f.receiver.advance(never))
  }

  test("silence is reported, and the next call continues to wait") {
    val f = new ReceiverFixture(silence = Duration.ofMillis(20))
    f.partition.latest = 0
    f.receiver.startRange(2)
    assert(!f.receiver.advance(never))
    f.hub.links.head.deliver(0, 1)
    assert(Seq.fill(2)(f.advance()) == Seq(0L, 1L))
  }

  test("a task that is stopped while it waits ends") {
    val f = new ReceiverFixture(silence = Duration.ofSeconds(100))
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
    val f = new ReceiverFixture(silence = Duration.ofSeconds(100))
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
    val f = new ReceiverFixture(silence = Duration.ofSeconds(100))
    f.partition.latest = 0
    val reading = Background(f.read(2))
    reading.waitUntilSleeping()
    f.hub.links.head.deliver(0, 1)
    assert(reading.result == Seq(0L, 1L))
  }

  test("a malformed message is reported with hub, partition and expected number") {
    val broken = new ReceiverFixture(from = 7)
    broken.hub.upcoming += (link => link.deliverBytes(Array[Byte](1, 2, 3)))
    broken.receiver.startRange(10)
    val error = intercept[EventHubsException](broken.advance())
    assert(error.getCondition == "EVENTHUBS_MALFORMED_EVENT")
    assert(error.getMessage.contains("partition 0, sequence number 7"))
  }

  test("closing it closes the link and returns the connection") {
    val f = new ReceiverFixture
    f.read(5)
    f.receiver.close()
    assert(f.hub.openLinks.isEmpty)
    f.pool.evictIdle(0)
    assert(f.pool.size == 0)
  }
}
