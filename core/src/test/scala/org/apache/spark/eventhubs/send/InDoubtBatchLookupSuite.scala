package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.collection.mutable

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpErrorContext, AmqpException}

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampName, StampProperty}
import org.apache.spark.eventhubs.send.SendFixture.{accumulator, event, poolOf}
import org.apache.spark.util.ManualTime
import testkit.TestSuite

/** Batches whose result was lost, with a lookup that knows whether they are in the hub. */
class InDoubtBatchLookupSuite extends TestSuite {

  private val dropped =
    new AmqpException(true, AmqpErrorCondition.LINK_DETACH_FORCED, "link moved", new AmqpErrorContext("ns.example"))

  /** Knows the stored batches by the body of their first event, which is its stamp here. */
  private final class Hub(stored: String*) extends InDoubtBatchLookup {
    val lookups = mutable.Buffer.empty[Seq[String]]
    override val settleTime: Duration = Duration.ofSeconds(5)
    override val settleTimeAfterStall: Duration = Duration.ofSeconds(60)
    override def areStored(batches: Seq[InDoubtBatch]): Seq[Boolean] = {
      val bodies = batches.map(batch => new String(batch.stamp.bytes))
      lookups += bodies
      bodies.map(stored.contains)
    }
  }

  private def stamped(body: String): OutgoingEvent =
    event(body).copy(stamp = Some(new StampProperty(StampName("stamp"), body.getBytes)))

  test("a batch that is in the hub counts as confirmed, one that is not is sent again, on a new connection") {
    val first = new FakeProducer(1, send => if (send.batch.bodies.head < "b-0") () else send.fail(dropped))
    val second = new FakeProducer(1, _.confirm())
    val hub = new Hub("a-00000001", "c-00000003")
    val events = accumulator(poolOf(first, second), lookup = Some(hub))
    Seq("a-00000001", "b-00000002", "c-00000003").foreach(body => events.add(stamped(body), None))
    events.flush()
    // The first batch got no result: it shared the connection that was closed.
    assert(hub.lookups.map(_.sorted) == Seq(Seq("a-00000001", "b-00000002", "c-00000003")))
    assert(first.isClosed)
    assert(second.sends.map(_.batch.bodies.mkString) == Seq("b-00000002"))
    assert(events.totals.events == 3)
  }

  test("a retried batch to a partition stays before its successors") {
    val first = new FakeProducer(1, _.fail(dropped))
    val second = new FakeProducer(1, _.confirm())
    val hub = new Hub()
    val events = accumulator(poolOf(first, second), lookup = Some(hub))
    Seq("a-00000001", "b-00000002", "c-00000003").foreach(body => events.add(stamped(body), Some("0")))
    events.flush()
    assert(second.sends.map(_.batch.bodies.mkString) == Seq("a-00000001", "b-00000002", "c-00000003"))
  }

  test("only the first event of each batch has the stamp of the batch") {
    val first = new FakeProducer(1, _.fail(dropped), batchBytes = 4)
    val second = new FakeProducer(1, _.confirm(), batchBytes = 4)
    val hub = new Hub()
    val events = accumulator(poolOf(first, second), lookup = Some(hub))
    val stamp = new StampProperty(StampName("stamp"), "of event".getBytes) {
      private var batches = 0
      override def ofBatch(): StampProperty = {
        batches += 1
        new StampProperty(name, s"of batch $batches".getBytes)
      }
    }
    (1 to 5).foreach(i => events.add(event(s"e$i").copy(stamp = Some(stamp)), Some("0")))
    events.flush()
    val stamps = second.sends.map(_.batch.events.flatMap(_.stamp).map(own => new String(own.bytes)).toSeq)
    assert(stamps == Seq(Seq("of batch 1", "of event"), Seq("of batch 2", "of event"), Seq("of batch 3")))
    assert(hub.lookups.flatten.distinct == Seq("of batch 1"))
  }

  test("a late result of an earlier attempt changes nothing") {
    val sends = mutable.Buffer.empty[FakeSend]
    val first =
      new FakeProducer(1, send => { sends += send; if (send.batch.bodies.head == "b-00000002") send.fail(dropped) })
    val second = new FakeProducer(1, send => { sends.head.confirm(); send.confirm() })
    val events = accumulator(poolOf(first, second), lookup = Some(new Hub("a-00000001")))
    Seq("a-00000001", "b-00000002").foreach(body => events.add(stamped(body), None))
    events.flush()
    assert(events.totals.events == 2)
    assert(events.totals.batches == 2)
  }

  test("a task that gives up waits for the results of what it has sent, and sends nothing more") {
    val sends = mutable.Buffer.empty[FakeSend]
    val producer = new FakeProducer(1, send => { sends += send; () })
    val results = new ManualSendResults(() => sends.foreach(_.confirm()))
    val events = accumulator(poolOf(producer), results = results, lookup = Some(new Hub()))
    Seq("a-00000001", "b-00000002").foreach(body => events.add(stamped(body), Some("0")))
    events.abandon()
    assert(sends.length == 1)
    assert(sends.head.result.isDone)
  }

  /** Adds one event whose batch fails like this after `unanswered`, and says how long the task waited to look. */
  private def waitedAfter(error: Throwable, unanswered: Duration, stalledBefore: Boolean = false): Duration = {
    val failing = mutable.Buffer.empty[FakeSend]
    val first = new FakeProducer(1, send => { failing += send; () })
    if (stalledBefore) first.markStalled()
    lazy val results: ManualSendResults = new ManualSendResults(() =>
      if (results.elapsed.compareTo(unanswered) >= 0) failing.foreach(_.fail(error))
    )
    val hub = new Hub()
    val events = accumulator(poolOf(first, new FakeProducer(1, _.confirm())), results = results, lookup = Some(hub))
    events.add(stamped("a-00000001"), Some("0"))
    events.flush()
    assert(hub.lookups.length == 1)
    results.elapsed.minus(unanswered)
  }

  test("after a dropped link the task waits for the settle time before it looks") {
    val waited = waitedAfter(dropped, Duration.ofSeconds(1))
    assert(waited.compareTo(Duration.ofSeconds(5)) >= 0 && waited.compareTo(Duration.ofSeconds(7)) < 0)
  }

  test("after a time-out, or an answer that was due for longer than the settle time, it waits for the longer one") {
    val aborted = new AmqpException(true, AmqpErrorCondition.TIMEOUT_ERROR, "no result", new AmqpErrorContext("ns"))
    Seq(
      waitedAfter(new TimeoutException("no answer"), Duration.ofSeconds(2)),
      waitedAfter(aborted, Duration.ofSeconds(1)),
      waitedAfter(dropped, Duration.ofSeconds(6)),
      // Another task that shares the connection had no answer.
      waitedAfter(dropped, Duration.ofSeconds(1), stalledBefore = true)
    ).foreach(waited => assert(waited.compareTo(Duration.ofSeconds(60)) >= 0))
  }

  test("a task that gives up aborts connections without an answer, and stays until nothing of them can arrive") {
    val producer = new FakeProducer(1, _ => ())
    val results = new ManualSendResults
    val events =
      accumulator(poolOf(producer, new FakeProducer(1, _ => ())), results = results, lookup = Some(new Hub()))
    Seq("a-00000001", "b-00000002").foreach(body => events.add(stamped(body), Some("0")))
    events.abandon()
    assert(producer.isClosed && producer.sends.length == 1)
    // As long as the SDK may take to end a send, and not the whole time of a batch.
    assert(results.elapsed == SendFixture.limits.silence.plusSeconds(60))
  }

  test("a task that gives up while a stalled batch is in doubt stays too") {
    final class Cancelled extends RuntimeException
    val results = new ManualSendResults
    var isCancelled = false
    val producer = new FakeProducer(1, _.fail(new TimeoutException("no answer")))
    val events = accumulator(
      poolOf(producer, new FakeProducer(1, _.confirm())),
      results = results,
      checkCancelled = () => if (isCancelled) throw new Cancelled,
      lookup = Some(new Hub())
    )
    events.add(stamped("a-00000001"), Some("0"))
    events.add(stamped("b-00000002"), Some("0"))
    isCancelled = true
    intercept[Cancelled](events.flush())
    val before = results.elapsed
    events.abandon()
    assert(results.elapsed.minus(before).compareTo(Duration.ofSeconds(60)) >= 0)
  }

  test("a task that gives up because no other connection can be opened waits for what may still arrive") {
    val producer = new FakeProducer(1, _.fail(new TimeoutException("no answer")))
    val results = new ManualSendResults()
    val events = accumulator(poolOf(producer), results = results, lookup = Some(new Hub()))
    events.add(stamped("a-00000001"), Some("0"))
    intercept[NoSuchElementException](events.flush())
    val before = results.elapsed
    events.abandon()
    assert(producer.isClosed)
    assert(results.elapsed.minus(before).compareTo(Duration.ofSeconds(60)) >= 0)
  }

  test("a task that is interrupted while it waits for answers still waits for what had none before") {
    val sends = mutable.Buffer.empty[FakeSend]
    val producer = new FakeProducer(1, send => { sends += send; () })
    val results = new ManualSendResults(() => {
      sends(1).confirm()
      throw new InterruptedException
    })
    val events =
      accumulator(poolOf(producer, new FakeProducer(1, _ => ())), results = results, lookup = Some(new Hub()))
    Seq("a-00000001", "b-00000002", "c-00000003").foreach(body => events.add(stamped(body), None))
    sends(0).fail(new TimeoutException("no answer"))
    intercept[InterruptedException](events.abandon())
    events.abandon()
    assert(sends.length == 2 && producer.isClosed)
    assert(results.elapsed == SendFixture.limits.silence.plusSeconds(60))
  }

  test("a task that is interrupted while it waits for what may arrive waits for the rest of the time") {
    val clock = new ManualTime {
      private var waits = 0
      override def waitTillTime(targetTime: Long): Long = {
        waits += 1
        if (waits % 100 == 0) throw new InterruptedException
        super.waitTillTime(targetTime)
      }
    }
    val results = new ManualSendResults(clock = clock)
    val producer = new FakeProducer(1, _.fail(new TimeoutException("no answer")))
    val events =
      accumulator(poolOf(producer, new FakeProducer(1, _ => ())), results = results, lookup = Some(new Hub()))
    Seq("a-00000001", "b-00000002").foreach(body => events.add(stamped(body), Some("0")))
    (1 to 3).foreach(_ => intercept[InterruptedException](events.abandon()))
    events.abandon()
    assert(producer.isClosed && results.elapsed == Duration.ofSeconds(60))
  }
}
