package org.apache.spark.eventhubs.send

import java.time.Duration

import scala.collection.mutable

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.ProducerPool
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.send.SendFixture._
import testkit.TestSuite

/** What happens to batches while the service is busy. */
class BusyServiceSuite extends TestSuite with ScriptedService {

  test("after throttling the sender waits as long as the service asks") {
    val results = new ManualSendResults
    val events = accumulator(poolOf(scripted(Map(1 -> busy(7)))), results = results)
    events.add(event("a"), None)
    events.flush()
    assert(results.elapsed.compareTo(Duration.ofSeconds(7)) >= 0)
    assert(results.elapsed.compareTo(Duration.ofSeconds(8)) < 0)
    assert(events.totals == SendTotals(events = 1, bytes = 1, batches = 1, throttled = 1, retried = 0, dropped = 0))
  }

  test("a link that a busy service closes is throttling too, where a batch may be sent twice") {
    val results = new ManualSendResults
    val closed = new AmqpException(true, AmqpErrorCondition.LINK_DETACH_FORCED, "closed", busy(7), none)
    val events = accumulator(poolOf(scripted(Map(1 -> closed, 2 -> closed))), results = results)
    events.add(event("a"), None)
    events.flush()
    assert(results.elapsed.compareTo(Duration.ofSeconds(14)) >= 0)
    assert(events.totals == SendTotals(events = 1, bytes = 1, batches = 1, throttled = 2, retried = 0, dropped = 0))
  }

  test("while the service is busy no other batch is sent either") {
    val results = new ManualSendResults
    val producer = scripted(Map(1 -> busy(4)))
    val events = accumulator(poolOf(producer), results = results)
    events.add(event("1234567890"), None)
    events.add(event("1234567890"), None)
    events.add(event("1234567890"), Some("1"))
    events.add(event("1234567890"), Some("1"))
    assert(producer.sends.length == 1)
    events.flush()
    assert(events.totals.events == 4)
  }

  test("a queue whose pause is over waits for the window without keeping the task's thread busy") {
    val waiting = mutable.Queue.empty[FakeSend]
    var (rounds, idle) = (0, 0)
    val producer = new FakeProducer(4, waiting += _)
    val results = new ManualSendResults(() =>
      if (waiting.nonEmpty) {
        idle += 1
        // The service is slow, and the second queue waits meanwhile.
        if (idle % 5 == 0) {
          rounds += 1
          waiting.dequeueAll(_ => true).foreach(send => if (rounds <= 2) send.fail(busy(4)) else send.confirm())
        }
      }
    )
    val events = accumulator(poolOf(producer), results = results)
    Seq("0", "1").foreach(partition => events.add(event("1234567890"), Some(partition)))
    events.flush()
    assert(events.totals.events == 2 && events.totals.throttled >= 3)
    assert(results.emptyWaits == 0)
  }

  test("a batch waits longer than the timeout while the service accepts a batch now and then") {
    val results = new ManualSendResults
    // The service accepts one of seven attempts.
    val script = (1 to 1000).filter(_ % 7 != 0).map(_ -> busy(4)).toMap
    val events = accumulator(poolOf(scripted(script)), results = results)
    (0 until 20).foreach(_ => events.add(event("1234567890"), None))
    events.flush()
    assert(events.totals.events == 20)
    assert(results.elapsed.compareTo(limits.sendTimeout.multipliedBy(3)) > 0)
  }

  test("a batch waits as long as the service accepts other batches of this JVM") {
    var attempts = 0
    lazy val pool: ProducerPool = poolOf(new FakeProducer(4, answer))
    lazy val others = accumulator(pool)
    def answer(send: FakeSend): Unit =
      if (send.batch.bodies == Seq("refused")) {
        attempts += 1
        // Longer than a batch waits for a service that accepts nothing.
        if (attempts > 300) send.confirm() else send.fail(busy(4))
        if (attempts % 50 == 0) {
          others.add(event("another"), None)
          others.flush()
        }
      } else send.confirm()
    val results = new ManualSendResults
    val events = accumulator(pool, results = results)
    events.add(event("refused"), None)
    events.flush()
    assert(events.totals.events == 1)
    assert(results.elapsed.compareTo(limits.sendTimeout.multipliedBy(15)) > 0)
  }

  test(
    "a busy service that accepts nothing fails the task after ten times the timeout, with the confirmed events"
  ) {
    val results = new ManualSendResults
    val events = accumulator(poolOf(scripted((3 to 1000).map(_ -> busy(4)).toMap)), results = results)
    (0 until 4).foreach(_ => events.add(event("12345678"), Some("0")))
    val failure = intercept[EventHubsException](events.flush())
    assert(failure.getCondition == "EVENTHUBS_THROTTLED")
    assert(failure.getMessage.contains("of this task 2 events were confirmed, 2 were not"))
    val timeLimit = limits.sendTimeout.multipliedBy(10)
    assert(results.elapsed.compareTo(timeLimit) <= 0)
    assert(results.elapsed.compareTo(timeLimit.minusSeconds(10)) > 0)
  }

  test("a busy service that accepts nothing fails the task as soon when the task writes to many destinations") {
    val results = new ManualSendResults
    val producer = new FakeProducer(32, _.fail(busy(4)))
    val events = accumulator(poolOf(producer), results = results)
    (0 until 32).foreach(partition => events.add(event("12345678"), Some(s"$partition")))
    val failure = intercept[EventHubsException](events.flush())
    assert(failure.getCondition == "EVENTHUBS_THROTTLED")
    val timeLimit = limits.sendTimeout.multipliedBy(10)
    assert(results.elapsed.compareTo(timeLimit) <= 0)
    assert(results.elapsed.compareTo(timeLimit.minusSeconds(10)) > 0)
  }

  test("batches that a busy service refuses together count once towards the timeout") {
    val waiting = mutable.Queue.empty[FakeSend]
    var refusals = 0
    val results = new ManualSendResults(() =>
      if (waiting.nonEmpty) {
        refusals += 1
        waiting.dequeueAll(_ => true).foreach(send => if (refusals <= 3) send.fail(busy(100)) else send.confirm())
      }
    )
    // A window for all batches after each refusal.
    val events = accumulator(poolOf(new FakeProducer(32, waiting += _)), limits.copy(maxInFlightBytes = 10000), results)
    (0 until 32).foreach(partition => events.add(event("12345678"), Some(s"$partition")))
    events.flush()
    assert(events.totals.events == 32 && events.totals.throttled > 32)
  }

  test("time that the task spends elsewhere between two refusals does not count towards the timeout") {
    val results = new ManualSendResults
    val events = accumulator(poolOf(scripted((1 to 3).map(_ -> busy(4)).toMap)), results = results)
    events.add(event("1234567890"), Some("0"))
    (1 to 3).foreach { _ =>
      results.pass(limits.sendTimeout.multipliedBy(11))
      events.add(event("1"), Some("0"))
    }
    events.flush()
    assert(events.totals.throttled == 3)
  }

  test("after throttling the task sends one batch at a time, and speeds up again") {
    val waiting = mutable.Queue.empty[FakeSend]
    val mostAtOnce = mutable.Buffer.empty[Int]
    var refused = false
    val producer = new FakeProducer(
      4,
      { send =>
        waiting += send
        mostAtOnce += waiting.length
      }
    )
    val results = new ManualSendResults(() =>
      if (!refused && waiting.length == 8) {
        refused = true
        waiting.dequeueAll(_ => true).foreach(_.fail(busy(4)))
        mostAtOnce.clear()
      } else if (waiting.nonEmpty) waiting.dequeue().confirm()
    )
    val events = accumulator(poolOf(producer), limits.copy(maxInFlightBytes = 80), results)
    (0 until 60).foreach(_ => events.add(event("1234567890"), None))
    events.flush()
    assert(mostAtOnce.take(2) == Seq(1, 1))
    assert(mostAtOnce.max == 8)
    assert(events.totals.events == 60)
    assert(producer.sends.forall(_.batch.destination == WriteDestination.AnyPartition))
  }
}
