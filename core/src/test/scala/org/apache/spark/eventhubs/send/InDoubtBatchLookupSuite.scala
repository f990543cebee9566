package org.apache.spark.eventhubs.send

import scala.collection.mutable

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpErrorContext, AmqpException}
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampName, StampProperty}
import org.apache.spark.eventhubs.connection.ProducerPool
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.send.SendFakes.{event, limits, poolOf}

/** Batches whose answer was lost, with somebody who knows what became of them. */
class InDoubtBatchLookupSuite extends AnyFunSuite {

  private val dropped =
    new AmqpException(true, AmqpErrorCondition.LINK_DETACH_FORCED, "link moved", new AmqpErrorContext("ns.example"))

  /** Knows the stored batches by the body of their first event, which is its stamp here. */
  private final class Hub(stored: String*) extends InDoubtBatchLookup {
    val asked = mutable.Buffer.empty[Seq[String]]
    override def areStored(batches: Seq[(StampProperty, WriteDestination)]): Seq[Boolean] = {
      val bodies = batches.map { case (stamp, _) => new String(stamp.bytes) }
      asked += bodies
      bodies.map(stored.contains)
    }
  }

  private def stamped(body: String): OutgoingEvent =
    event(body).copy(stamp = Some(new StampProperty(StampName("stamp"), body.getBytes)))

  private def queue(pool: ProducerPool, hub: Hub): BatchAccumulator =
    new BatchAccumulator(pool.lend(SendFakes.connection), limits, new ManualInbox, () => (), Some(hub))

  test("a batch that is in the hub counts as confirmed, one that is not is sent again, on a new connection") {
    val first = new FakeProducer(1, send => if (send.batch.bodies.head < "b-0") () else send.fail(dropped))
    val second = new FakeProducer(1, _.confirm())
    val hub = new Hub("a-00000001", "c-00000003")
    val events = queue(poolOf(first, second), hub)
    Seq("a-00000001", "b-00000002", "c-00000003").foreach(body => events.add(stamped(body), None))
    events.flush()
    // The first got no answer at all: it shared the connection that was closed.
    assert(hub.asked.map(_.sorted) == Seq(Seq("a-00000001", "b-00000002", "c-00000003")))
    assert(first.isClosed)
    assert(second.sends.map(_.batch.bodies.mkString) == Seq("b-00000002"))
    assert(events.totals.events == 3)
  }

  test("a batch to a partition that is sent again stays before its successors") {
    val first = new FakeProducer(1, _.fail(dropped))
    val second = new FakeProducer(1, _.confirm())
    val hub = new Hub()
    val events = queue(poolOf(first, second), hub)
    Seq("a-00000001", "b-00000002", "c-00000003").foreach(body => events.add(stamped(body), Some("0")))
    events.flush()
    assert(second.sends.map(_.batch.bodies.mkString) == Seq("a-00000001", "b-00000002", "c-00000003"))
  }

  test("the first event of each batch has the stamp that tells the batch, the others have not") {
    val first = new FakeProducer(1, _.fail(dropped), batchBytes = 4)
    val second = new FakeProducer(1, _.confirm(), batchBytes = 4)
    val hub = new Hub()
    val events = queue(poolOf(first, second), hub)
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
    assert(hub.asked.flatten.distinct == Seq("of batch 1"))
  }

  test("an answer that comes after all changes nothing") {
    val sends = mutable.Buffer.empty[FakeSend]
    val first =
      new FakeProducer(1, send => { sends += send; if (send.batch.bodies.head == "b-00000002") send.fail(dropped) })
    val second = new FakeProducer(1, send => { sends.head.confirm(); send.confirm() })
    val events = queue(poolOf(first, second), new Hub("a-00000001"))
    Seq("a-00000001", "b-00000002").foreach(body => events.add(stamped(body), None))
    events.flush()
    assert(events.totals.events == 2)
    assert(events.totals.batches == 2)
  }

  test("a task that gives up waits for the answers to what it has sent, and sends no more") {
    val sends = mutable.Buffer.empty[FakeSend]
    val producer = new FakeProducer(1, send => { sends += send; () })
    val inbox = new ManualInbox(() => sends.foreach(_.confirm()))
    val pool = poolOf(producer)
    val events = new BatchAccumulator(pool.lend(SendFakes.connection), limits, inbox, () => (), Some(new Hub()))
    Seq("a-00000001", "b-00000002").foreach(body => events.add(stamped(body), Some("0")))
    events.abandon()
    assert(sends.length == 1)
    assert(sends.head.answer.isDone)
  }
}
