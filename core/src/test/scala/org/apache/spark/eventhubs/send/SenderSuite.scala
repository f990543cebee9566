package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.collection.mutable

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.amqp.{StampName, StampProperty}
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.send.SendFixture._
import testkit.TestSuite

/** What happens to batches that the service refuses, loses or does not answer. */
class SenderSuite extends TestSuite with ScriptedService {

  test("a batch to a partition that fails is sent again before its successors") {
    val delivered = mutable.Buffer.empty[String]
    val events = accumulator(poolOf(scripted(Map(2 -> dropped, 4 -> dropped), delivered)))
    val bodies = (0 until 20).map(i => f"body$i%04d")
    bodies.foreach(body => events.add(event(body), Some("0")))
    events.flush()
    assert(delivered == bodies)
    assert(events.totals.events == 20)
    assert(events.totals.retried == 2)
  }

  test("a batch whose answer was lost arrives twice rather than never, and in order") {
    val delivered = mutable.Buffer.empty[String]
    var first = true
    val producer = new FakeProducer(
      1,
      { send =>
        delivered ++= send.batch.bodies
        if (first) send.fail(dropped) else send.confirm()
        first = false
      }
    )
    val events = accumulator(poolOf(producer))
    Seq("aaaaaaaa", "bbbbbbbb").foreach(body => events.add(event(body), Some("0")))
    events.flush()
    assert(delivered == Seq("aaaaaaaa", "aaaaaaaa", "bbbbbbbb"))
  }

  test("a batch without an answer marks its connection as stalled, for the other tasks that use it") {
    val (first, second) = (scripted(Map(1 -> new TimeoutException("no answer"))), scripted(Map.empty))
    val events = accumulator(poolOf(first, second))
    events.add(event("a"), None)
    events.flush()
    assert(first.isStalled && !second.isStalled)
  }

  test("an exactly-once task looks for a batch that the service could not process, and keeps the connection") {
    var looked = 0
    val lookup = new InDoubtBatchLookup {
      override val settleTime: Duration = Duration.ofSeconds(5)
      override val settleTimeAfterStall: Duration = Duration.ofSeconds(60)
      override def areStored(batches: Seq[InDoubtBatch]): Seq[Boolean] = {
        looked += batches.length
        batches.map(_ => looked == 1)
      }
    }
    val notProcessed = new AmqpException(true, AmqpErrorCondition.INTERNAL_ERROR, "try again", none)
    val producer = scripted(Map(1 -> notProcessed, 2 -> notProcessed))
    val results = new ManualSendResults
    val events = accumulator(poolOf(producer), results = results, lookup = Some(lookup))
    Seq("a", "b").foreach { body =>
      events.add(event(body).copy(stamp = Some(new StampProperty(StampName("stamp"), body.getBytes))), Some("0"))
      events.flush()
    }
    assert(looked == 2 && producer.sends.length == 3, "the first is found, the second is sent again")
    assert(!producer.isAborted && !producer.isClosed && !producer.isStalled)
    assert(results.elapsed.compareTo(Duration.ofSeconds(10)) >= 0)
  }

  test("links that keep dropping fail the task after the timeout") {
    val producers = Seq.fill(1000)(scripted((1 to 1000).map(_ -> dropped).toMap))
    val results = new ManualSendResults
    val events = accumulator(poolOf(producers: _*), results = results)
    events.add(event("a"), Some("1"))
    val failure = intercept[EventHubsException](events.flush())
    assert(failure.getMessage.contains("writing 1 events to partition 1 after"))
    assert(results.elapsed.compareTo(limits.sendTimeout) <= 0)
  }

  test("connections that keep dropping fail an exactly-once task as soon, whichever batch notices first") {
    val waiting = mutable.Buffer.empty[FakeSend]
    var (idle, rounds) = (0, 0)
    val results = new ManualSendResults(() =>
      if (waiting.length == 4) {
        idle += 1
        // An attempt takes ten seconds.
        if (idle % 50 == 0) {
          rounds += 1
          val noticed = waiting.find(_.batch.destination == WriteDestination.ToPartition(s"${rounds % 4}")).get
          waiting.clear()
          noticed.fail(dropped)
        }
      }
    )
    val notStored = new InDoubtBatchLookup {
      override val settleTime: Duration = Duration.ZERO
      override val settleTimeAfterStall: Duration = Duration.ZERO
      override def areStored(batches: Seq[InDoubtBatch]): Seq[Boolean] = batches.map(_ => false)
    }
    val producers = Seq.fill(1000)(new FakeProducer(4, waiting += _))
    val events = accumulator(poolOf(producers: _*), results = results, lookup = Some(notStored))
    (0 until 4).foreach { partition =>
      val stamp = Some(new StampProperty(StampName("stamp"), Array(partition.toByte)))
      events.add(event("a").copy(stamp = stamp), Some(s"$partition"))
    }
    assert(intercept[EventHubsException](events.flush()).getMessage.contains("writing 1 events to partition"))
    assert(results.elapsed.compareTo(limits.sendTimeout.plusSeconds(20)) < 0)
  }

  test("a permanent failure fails the task at once, and again if the task continues") {
    val results = new ManualSendResults
    val events = accumulator(poolOf(scripted(Map(1 -> unauthorized))), results = results)
    events.add(event("a"), None)
    assert(intercept[EventHubsException](events.flush()).getCondition == "EVENTHUBS_AUTHENTICATION")
    assert(intercept[EventHubsException](events.add(event("b"), None)).getCondition == "EVENTHUBS_AUTHENTICATION")
    assert(intercept[EventHubsException](events.flush()).getCondition == "EVENTHUBS_AUTHENTICATION")
    assert(results.elapsed == Duration.ZERO)
  }

  test("a client that does not answer is closed before a new one sends the batch") {
    var closedBefore = false
    val dead = new FakeProducer(1, _.fail(new TimeoutException("no answer")))
    val fresh = new FakeProducer(
      1,
      { send =>
        closedBefore = dead.isClosed
        send.confirm()
      }
    )
    val events = accumulator(poolOf(dead, fresh))
    events.add(event("a"), Some("0"))
    events.flush()
    assert(closedBefore)
    assert(fresh.sends.map(_.batch.bodies) == Seq(Seq("a")))
  }

  test("a dropped link is retried once on the same client, then on a new one") {
    val broken = scripted((1 to 9).map(_ -> dropped).toMap)
    val fresh = scripted(Map.empty)
    val events = accumulator(poolOf(broken, fresh))
    events.add(event("a"), Some("0"))
    events.flush()
    assert(broken.sends.length == 2)
    assert(fresh.sends.length == 1)
  }

  test("an exception thrown by the send call counts as a failed attempt") {
    var calls = 0
    val producer = new FakeProducer(
      1,
      { send =>
        calls += 1
        if (calls == 1) throw dropped else send.confirm()
      }
    )
    val events = accumulator(poolOf(producer))
    events.add(event("a"), None)
    events.flush()
    assert(events.totals.events == 1)
  }

  test("a client that never answers fails the task after the timeout") {
    val results = new ManualSendResults
    val events = accumulator(poolOf(Seq.fill(10)(new FakeProducer(1, _ => ())): _*), results = results)
    events.add(event("a"), Some("0"))
    assert(intercept[EventHubsException](events.flush()).getCondition == "EVENTHUBS_TIMEOUT")
    assert(results.elapsed.compareTo(limits.sendTimeout.plusSeconds(1)) < 0)
  }

  test("a cancelled task stops waiting") {
    final class Cancelled extends RuntimeException
    val results = new ManualSendResults
    val events = accumulator(
      poolOf(new FakeProducer(1, _ => ())),
      results = results,
      checkCancelled = () => if (results.elapsed.compareTo(Duration.ofSeconds(5)) > 0) throw new Cancelled
    )
    events.add(event("a"), None)
    intercept[Cancelled](events.flush())
    assert(results.elapsed.compareTo(Duration.ofSeconds(6)) < 0)
  }

  test("a cancelled task sends no batch that becomes full, and none that waited behind the send window") {
    final class Cancelled extends RuntimeException
    var isCancelled = false
    val sends = mutable.Buffer.empty[FakeSend]
    val producer = new FakeProducer(2, send => { sends += send; () })
    val events = accumulator(poolOf(producer), checkCancelled = () => if (isCancelled) throw new Cancelled)
    // The partition's second batch waits for the first one.
    Seq("1234567890", "2234567890", "3234567890").foreach(body => events.add(event(body), Some("0")))
    events.add(event("4234567890"), Some("1"))
    assert(sends.length == 1)
    isCancelled = true
    intercept[Cancelled](events.add(event("5234567890"), Some("1")))
    sends.head.confirm()
    intercept[Cancelled](events.add(event("6234567890"), Some("0")))
    intercept[Cancelled](events.flush())
    assert(sends.length == 1)
  }

  test("time that the task spends elsewhere does not count towards the timeout") {
    val results = new ManualSendResults
    val events = accumulator(poolOf(scripted(Map(1 -> dropped))), results = results)
    events.add(event("1234567890"), Some("0"))
    events.add(event("1234567890"), Some("0"))
    results.pass(limits.sendTimeout.multipliedBy(10))
    events.flush()
    assert(events.totals.events == 2)
  }
}
