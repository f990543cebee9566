package org.apache.spark.eventhubs.send

import java.time.Duration

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpErrorContext, AmqpException}

import org.apache.spark.TaskKilledException
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.amqp.{StampName, StampProperty}
import org.apache.spark.eventhubs.background.ManualBackground
import org.apache.spark.eventhubs.send.SendFixture._
import org.apache.spark.util.ManualTime
import testkit.TestSuite

/** Batches that are sent before they are full, while the task waits for its next row. */
class LingerSuite extends TestSuite {

  private val context = new AmqpErrorContext("ns.example")
  private val busy =
    new AmqpException(true, AmqpErrorCondition.SERVER_BUSY_ERROR, "Please wait 9 seconds and try again.", context)

  /** A nanosecond passes with each look at it. */
  private final class PassingTime extends ManualTime {
    override def nanoTime(): Long = {
      advance(Duration.ofNanos(1))
      super.nanoTime()
    }
  }

  private val moved = new AmqpException(true, AmqpErrorCondition.LINK_DETACH_FORCED, "link moved", context)

  /** A task with one hub. The test plays its thread. */
  private final class Task(
      millis: Int,
      onSend: FakeSend => Unit = _ => (),
      lookup: Option[InDoubtBatchLookup] = None,
      of: SendLimits = limits,
      time: ManualTime = new ManualTime
  ) {
    val results = new ManualSendResults(clock = time)
    val background = new ManualBackground(results.clock)
    val (producer, second) = (new FakeProducer(4, onSend), new FakeProducer(4, _.confirm()))
    var isKilled = false
    private val permit = SendPermit(() => if (isKilled) throw new TaskKilledException("cancelled"))
    val batches = new Sender(
      of.copy(linger = Some(Duration.ofMillis(millis.toLong))),
      results,
      results.clock,
      permit,
      background
    )
    private val events = batches.to(poolOf(producer, second).borrow(connection), lookup)

    def add(body: String, partition: Option[String] = Some("0")): Unit =
      events.add(event(body).copy(stamp = Some(new StampProperty(StampName("stamp"), body.getBytes))), partition)

    def sent: Seq[String] = producer.sends.toSeq.map(_.batch.bodies.mkString(" "))

    def answer(send: Int): Unit = {
      producer.sends(send).confirm()
      background.runDue()
    }
  }

  test("with 0 an event is sent at once; what comes before the answer shares the next batch") {
    val task = new Task(millis = 0)
    task.add("a")
    assert(task.sent == Seq("a"))
    Seq("b", "c").foreach(task.add(_))
    assert(task.sent == Seq("a"))
    task.answer(0)
    assert(task.sent == Seq("a", "b c"))
    task.answer(1)
    assert(task.batches.totals.events == 3)
  }

  test("with a linger time a batch is sent when its first event has waited so long, full or not") {
    val task = new Task(millis = 5)
    task.add("a")
    task.background.pass(Duration.ofMillis(3))
    task.add("b")
    task.background.pass(Duration.ofMillis(1))
    assert(task.sent.isEmpty)
    task.background.pass(Duration.ofMillis(1))
    assert(task.sent == Seq("a b"))
    task.add("c", Some("1"))
    task.background.pass(Duration.ofMillis(5))
    assert(task.sent == Seq("a b", "c"))
  }

  test("a batch that becomes due while an older one is sent does not wait for another row") {
    (0 until 60).foreach { early =>
      val task = new Task(millis = 5, time = new PassingTime)
      task.add("a", Some("0"))
      task.add("b", Some("1"))
      task.background.pass(Duration.ofMillis(5).minusNanos(early.toLong))
      task.background.pass(Duration.ofMillis(1))
      assert(task.sent == Seq("a", "b"), s"$early ns early")
    }
  }

  test("a full batch does not wait for the linger time") {
    val task = new Task(millis = 5000)
    Seq("aaaaaa", "bbbbbb").foreach(task.add(_))
    assert(task.sent == Seq("aaaaaa"))
  }

  test("partitions do not wait for each other, and each keeps its order") {
    val task = new Task(millis = 0)
    Seq("a" -> "0", "b" -> "1", "c" -> "0", "d" -> "1").foreach { case (body, partition) =>
      task.add(body, Some(partition))
    }
    assert(task.sent == Seq("a", "b"))
    task.answer(1)
    assert(task.sent == Seq("a", "b", "d"))
    task.answer(0)
    assert(task.sent == Seq("a", "b", "d", "c"))
  }

  test("without an order a few small batches are on the wire, and then they grow") {
    val task = new Task(millis = 0)
    (0 until 8).foreach(i => task.add(i.toString, None))
    assert(task.sent == Seq("0", "1", "2", "3"))
    task.answer(0)
    assert(task.sent == Seq("0", "1", "2", "3", "4 5 6 7"))
  }

  test("a batch that the busy service refused is sent again before its successors, without another row") {
    val task = new Task(millis = 0)
    task.add("a")
    task.add("b")
    task.producer.sends(0).fail(busy)
    task.background.runDue()
    task.background.pass(Duration.ofSeconds(8))
    assert(task.sent == Seq("a"))
    task.background.pass(Duration.ofSeconds(2))
    assert(task.sent == Seq("a", "a"))
    task.answer(1)
    assert(task.sent == Seq("a", "a", "b"))
  }

  test("the bytes in flight are limited: a batch waits for room without the task") {
    val task = new Task(millis = 0, of = limits.copy(maxInFlightBytes = 8))
    task.add("aaaaaa", Some("0"))
    task.add("bbbbbb", Some("1"))
    assert(task.sent == Seq("aaaaaa"))
    task.answer(0)
    assert(task.sent == Seq("aaaaaa", "bbbbbb"))
  }

  test("an error of a batch that was sent in the background fails the next row and the commit") {
    val task = new Task(5, _.fail(new AmqpException(false, AmqpErrorCondition.NOT_FOUND, "no such entity", context)))
    task.add("a")
    task.background.pass(Duration.ofMillis(5))
    val failed = intercept[EventHubsException](task.add("b"))
    assert(failed.getCondition == "EVENTHUBS_NOT_FOUND")
    assert(intercept[EventHubsException](task.batches.flush()) eq failed)
    task.background.pass(Duration.ofMillis(5))
    assert(task.sent == Seq("a"))
  }

  test("a killed task sends nothing more in the background, and its next row says so") {
    val task = new Task(millis = 5)
    task.add("a")
    task.isKilled = true
    task.background.pass(Duration.ofMillis(5))
    assert(task.sent.isEmpty)
    intercept[TaskKilledException](task.add("b"))
  }

  test("a closed task sends nothing more") {
    val task = new Task(millis = 5)
    task.add("a")
    task.batches.close()
    task.background.pass(Duration.ofMillis(5))
    assert(task.sent.isEmpty)
  }

  test("a task that gives up sends nothing more, while it waits for its answers and afterwards") {
    val task = new Task(millis = 0)
    task.add("a")
    task.add("b")
    task.producer.sends(0).confirm()
    task.batches.abandon()
    task.background.pass(Duration.ofMillis(5))
    assert(task.sent == Seq("a"))
  }

  test("exactly once: only the task's thread looks for a batch in doubt, and nothing is sent before") {
    var lookups = 0
    val hub = new InDoubtBatchLookup {
      override val settleTime: Duration = Duration.ofSeconds(5)
      override val settleTimeAfterStall: Duration = Duration.ofSeconds(60)
      override def areStored(batches: Seq[InDoubtBatch]): Seq[Boolean] = {
        lookups += 1
        batches.map(_ => true)
      }
    }
    val task = new Task(0, _.fail(moved), Some(hub))
    task.add("a")
    task.background.pass(Duration.ofMinutes(1))
    assert(lookups == 0 && task.sent == Seq("a") && task.second.sends.isEmpty)
    task.add("b")
    assert(lookups == 1 && task.second.sends.map(_.batch.bodies) == Seq(Seq("b")))
    task.batches.flush()
    assert(task.batches.totals.events == 2)
  }

  test("exactly once: after a batch was found in the hub, the next one of its partition is sent without another row") {
    val hub = new InDoubtBatchLookup {
      override val settleTime: Duration = Duration.ZERO
      override val settleTimeAfterStall: Duration = Duration.ZERO
      override def areStored(batches: Seq[InDoubtBatch]): Seq[Boolean] = batches.map(_ => true)
    }
    val task = new Task(5, _.fail(moved), Some(hub))
    task.add("a", Some("0"))
    task.background.pass(Duration.ofMillis(5))
    task.add("b", Some("0"))
    assert(task.sent == Seq("a"))
    task.background.pass(Duration.ofMillis(5))
    assert(task.second.sends.map(_.batch.bodies) == Seq(Seq("b")))
  }

  test("the commit sends what lingers") {
    val task = new Task(5000, _.confirm())
    task.add("a")
    task.batches.flush()
    assert(task.sent == Seq("a") && task.batches.totals.events == 1)
  }
}
