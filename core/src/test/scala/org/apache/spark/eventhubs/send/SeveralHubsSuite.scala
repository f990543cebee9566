package org.apache.spark.eventhubs.send

import java.time.Duration

import scala.collection.mutable

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}

import org.apache.spark.eventhubs.background.ManualBackground
import org.apache.spark.eventhubs.connection.ProducerPool
import org.apache.spark.eventhubs.send.SendFixture._
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}
import org.apache.spark.util.ManualTime
import testkit.TestSuite

/** A task that writes to several hubs. */
class SeveralHubsSuite extends TestSuite {

  private val none = Option.empty[com.azure.core.amqp.exception.AmqpErrorContext].orNull
  private val busy =
    new AmqpException(true, AmqpErrorCondition.SERVER_BUSY_ERROR, "Please wait 9 seconds and try again.", none)

  /** @param producers by the name of the hub */
  private final class Task(producers: String => FakeProducer, limits: SendLimits, val results: ManualSendResults) {
    private val pool =
      new ProducerPool(settings => producers(settings.hub.name), Duration.ofMinutes(1), new ManualTime)
    val batches =
      new Sender(limits, results, results.clock, SendPermit(() => ()), new ManualBackground(results.clock))
    private val hubs = mutable.HashMap.empty[String, HubWriter]

    def add(hub: String, body: String, partition: Option[String] = None): Unit =
      hubs.getOrElseUpdate(
        hub,
        batches.to(pool.borrow(connection.copy(hub = EventHubName("ns.example", hub))))
      ).add(event(body), partition)
  }

  test("a busy hub does not hold up the others, and gets its events after its pause") {
    val sent = mutable.Buffer.empty[(String, Duration)]
    val results = new ManualSendResults
    var refusals = 0
    def producer(hub: String) = new FakeProducer(
      4,
      send =>
        if (hub == "busy" && refusals == 0) {
          refusals += 1
          send.fail(busy)
        } else {
          sent ++= send.batch.bodies.map(body => s"$hub $body" -> results.elapsed)
          send.confirm()
        }
    )
    val task = new Task(producer, limits, results)
    // A body fills a batch.
    Seq("busy", "free", "busy", "free").zipWithIndex.foreach { case (hub, i) => task.add(hub, s"body-0000$i") }
    task.batches.flush()
    val (free, late) = sent.partition(_._1.startsWith("free"))
    assert(free.map(_._1).toSet == Set("free body-00001", "free body-00003"))
    assert(free.forall(_._2.compareTo(Duration.ofSeconds(1)) < 0))
    assert(late.map(_._1).toSet == Set("busy body-00000", "busy body-00002"))
    assert(late.forall(_._2.compareTo(Duration.ofSeconds(9)) >= 0))
    assert(task.batches.totals.events == 4 && task.batches.totals.throttled == 1)
  }

  test("fifty hubs share the limits of one: unconfirmed bytes, unconfirmed batches, open batches") {
    val waiting = mutable.LinkedHashSet.empty[FakeSend]
    var (mostBytes, mostBatches) = (0, 0)
    val results = new ManualSendResults(() => { waiting.toSeq.foreach(_.confirm()); waiting.clear() })
    def producer() = new FakeProducer(
      4,
      { send =>
        waiting += send
        mostBytes = math.max(mostBytes, waiting.toSeq.map(_.batch.bytes).sum)
        mostBatches = math.max(mostBatches, waiting.size)
      }
    )
    val few = limits.copy(maxInFlightBytes = 200, maxInFlightBatches = 12, maxOpenBatches = 20)
    val task = new Task(_ => producer(), few, results)
    (0 until 2000).foreach { i =>
      task.add(s"hub-${i % 50}", "12345678", Some((i % 4).toString))
      // Open and unconfirmed.
      val batches = task.batches.expectedTotals.batches - task.batches.totals.batches
      assert(batches <= few.maxOpenBatches + few.maxInFlightBatches)
    }
    task.batches.flush()
    assert(task.batches.totals.events == 2000)
    assert(mostBytes <= 200 && mostBatches <= 12)
  }

  test("the failure of one hub names it, and ends the task") {
    def producer(hub: String) = new FakeProducer(
      4,
      send =>
        if (hub == "gone") send.fail(new AmqpException(false, AmqpErrorCondition.NOT_FOUND, "no such entity", none))
        else send.confirm()
    )
    val task = new Task(producer, limits, new ManualSendResults)
    task.add("here", "a")
    task.add("gone", "b")
    val failed = intercept[EventHubsException](task.batches.flush())
    assert(failed.getCondition == "EVENTHUBS_NOT_FOUND" && failed.getMessage.contains("'gone'"))
    assert(intercept[EventHubsException](task.add("here", "c")) eq failed)
  }
}
