package org.apache.spark.eventhubs.send

import java.time.Duration

import scala.collection.mutable

import com.azure.messaging.eventhubs.{ProducerClaim, ProducerGrant}

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampName, StampProperty}
import org.apache.spark.eventhubs.background.ManualBackground
import org.apache.spark.eventhubs.options.{WriteDestination, WriteSettings}
import org.apache.spark.eventhubs.send.SendFixture._
import org.apache.spark.eventhubs.{Background, EventHubsException}
import org.apache.spark.util.ManualTime
import testkit.{Eventually, TestSuite}

/** Sends of which the SDK never tells the result, not even that their time is over. */
class LostSendSuite extends TestSuite with ScriptedService with Eventually {

  /** Loses the sends to partition 0, and confirms the others at once. */
  private def losing() = new FakeProducer(
    4,
    send => if (send.batch.destination != WriteDestination.ToPartition("0")) send.confirm()
  )

  private final class Lookup(isStored: Boolean) extends InDoubtBatchLookup {
    val asked = mutable.Buffer.empty[WriteDestination]
    override val settleTime: Duration = Duration.ofSeconds(5)
    override val settleTimeAfterStall: Duration = Duration.ofSeconds(60)
    override def areStored(batches: Seq[InDoubtBatch]): Seq[Boolean] = {
      asked ++= batches.map(_.destination)
      batches.map(_ => isStored)
    }
  }

  private def stamped(body: String): OutgoingEvent =
    event(body).copy(stamp = Some(new StampProperty(StampName("stamp"), body.getBytes)))

  test("a lost send is repeated over a new connection, before its successors, and its late result counts no more") {
    val first = losing()
    val delivered = mutable.Buffer.empty[String]
    val second = new FakeProducer(
      4,
      { send =>
        // While the repeated batch has no result yet.
        if (!first.sends.head.result.isDone) first.sends.head.fail(dropped)
        delivered ++= send.batch.bodies
        send.confirm()
      }
    )
    val results = new ManualSendResults
    val events = accumulator(poolOf(first, second), results = results)
    Seq("aaaaaaaa", "bbbbbbbb", "cccccccc").foreach(body => events.add(event(body), Some("0")))
    events.flush()
    assert(delivered == Seq("aaaaaaaa", "bbbbbbbb", "cccccccc"))
    assert(first.isAborted && first.isStalled && !second.isAborted)
    assert(events.totals.events == 3 && events.totals.batches == 3 && events.totals.retried == 1)
    assert(results.elapsed.compareTo(limits.silence.plusSeconds(2)) < 0)
  }

  test("a lost send that is noticed late is repeated too, because the time elsewhere does not count") {
    val delivered = mutable.Buffer.empty[String]
    val results = new ManualSendResults
    val events = accumulator(poolOf(losing(), scripted(Map.empty, delivered)), results = results)
    Seq("aaaaaaaa", "bbbbbbbb").foreach(body => events.add(event(body), Some("0")))
    results.pass(limits.sendTimeout.multipliedBy(2))
    events.flush()
    assert(delivered == Seq("aaaaaaaa", "bbbbbbbb"))
  }

  test("a lost send is noticed while other partitions continue to get results") {
    val first = losing()
    val results = new ManualSendResults
    val events = accumulator(poolOf(first, scripted(Map.empty)), results = results)
    events.add(event("lost"), Some("0"))
    events.add(event("1234567890"), Some("0"))
    (0 until 300).foreach { i =>
      events.add(event(f"other$i%04d"), Some("1"))
      results.pass(Duration.ofMillis(100))
    }
    events.flush()
    assert(first.isAborted && events.totals.events == 302)
  }

  test("a result that an interrupted thread brings is not lost") {
    val first = losing()
    val task = Sender(limits, SendPermit(() => ()), new ManualBackground(new ManualTime))
    task.to(poolOf(first).borrow(connection)).add(event("a"), Some("0"))
    val flushing = Background(task.flush())
    eventually("the batch is on the wire")(first.sends.nonEmpty)
    val bringing = Background {
      Thread.currentThread.interrupt()
      first.sends.head.confirm()
    }
    bringing.result
    flushing.result
    assert(task.totals.events == 1 && task.totals.retried == 0 && !first.isAborted)
  }

  test("where batches linger, a lost send is repeated while the task waits for its next row") {
    val results = new ManualSendResults
    val background = new ManualBackground(results.clock)
    val batches =
      new Sender(
        limits.copy(linger = Some(Duration.ZERO)),
        results,
        results.clock,
        SendPermit(() => ()),
        background
      )
    val second = scripted(Map.empty)
    val events = batches.to(poolOf(losing(), second).borrow(connection))
    events.add(event("lost"), Some("0"))
    background.pass(limits.silence.minusSeconds(1))
    assert(second.sends.isEmpty)
    // The look at lost sends, and the back-off.
    (0 until 30).foreach(_ => background.pass(Duration.ofSeconds(1)))
    assert(second.sends.map(_.batch.bodies) == Seq(Seq("lost")))
    batches.close()
    (0 until 30).foreach(_ => background.pass(Duration.ofSeconds(1)))
    assert(background.waiting == 0, "nothing looks any more")
  }

  test("an exactly-once task looks for all batches of a connection that lost one of them") {
    val lookup = new Lookup(isStored = true)
    val first = new FakeProducer(2, _ => ())
    val results = new ManualSendResults
    val events = accumulator(poolOf(first, scripted(Map.empty)), results = results, lookup = Some(lookup))
    Seq("0", "1").foreach(partition => events.add(stamped(s"of $partition"), Some(partition)))
    events.flush()
    assert(lookup.asked.toSet == Set("0", "1").map(WriteDestination.ToPartition(_)) && lookup.asked.length == 2)
    assert(first.isAborted && first.sends.length == 2 && events.totals.events == 2)
    assert(events.totals.retried == 0, "nothing was sent again")
    assert(results.elapsed.compareTo(lookup.settleTimeAfterStall) >= 0, "it may still arrive")
  }

  test("each batch that is sent again counts, also where another one has lost the connection") {
    val lookup = new Lookup(isStored = false)
    val first = new FakeProducer(3, send => if (send.batch.bodies == Seq("of 2")) send.fail(dropped))
    val events = accumulator(poolOf(first, scripted(Map.empty)), lookup = Some(lookup))
    Seq("0", "1", "2").foreach(partition => events.add(stamped(s"of $partition"), Some(partition)))
    events.flush()
    assert(events.totals.events == 3 && events.totals.retried == 3)
  }

  test("an idempotent producer asks over a new link whether its lost batch is stored") {
    val claims = mutable.Buffer.empty[ProducerClaim]
    def grant(last: Int)(claim: ProducerClaim) = {
      claims += claim
      Some(ProducerGrant(7, claim.epoch, last))
    }
    val first = new FakeProducer(1, _ => (), grants = grant(last = 41))
    val second = new FakeProducer(1, _.confirm(), grants = grant(last = 42))
    val idempotent = limits.copy(idempotent = true)
    val events = accumulator(poolOf(first, second), idempotent, lookup = Some(new Lookup(isStored = false)))
    events.add(stamped("a"), Some("0"))
    events.flush()
    assert(first.isAborted && second.sends.isEmpty && claims.length == 2 && events.totals.events == 1)
  }

  test("a batch that has less time than an attempt fails without harm to a connection that may be healthy") {
    val healthy = losing()
    val results = new ManualSendResults
    val short = limits.copy(sendTimeout = Duration.ofSeconds(10))
    val events = accumulator(poolOf(healthy), short, results = results)
    events.add(event("a"), Some("0"))
    val failed = intercept[EventHubsException](events.flush())
    assert(failed.getCondition == "EVENTHUBS_TIMEOUT" && failed.getMessage.contains("no answer within 10 s"))
    assert(!healthy.isAborted && !healthy.isStalled)
  }

  test("the SDK has lost a send five seconds after it should have ended it") {
    val options = Map("eventhubs.connectionString" -> connectionString, "eventhubs.operationTimeout" -> "80s")
    assert(SendLimits.of(WriteSettings.parse(options)).silence == Duration.ofSeconds(25))
  }
}
