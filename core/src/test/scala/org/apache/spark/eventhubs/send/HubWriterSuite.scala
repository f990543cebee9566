package org.apache.spark.eventhubs.send

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.amqp.BodyBytes
import org.apache.spark.eventhubs.options.{OversizedEvents, WriteDestination}
import org.apache.spark.eventhubs.send.SendFixture._
import testkit.TestSuite

/** How events become batches, and what limits them. */
class HubWriterSuite extends TestSuite {

  private def confirming(partitions: Int = 4) = new FakeProducer(partitions, _.confirm())

  private def bodiesTo(producer: FakeProducer, destination: WriteDestination): Seq[String] =
    producer.sends.map(_.batch).filter(_.destination == destination).flatMap(_.bodies).toSeq

  test("batches are filled to the limit, and the flush sends the rest") {
    val producer = confirming()
    val events = accumulator(poolOf(producer))
    Seq("aaaa", "bbbb", "cccc", "dddd", "eeee").foreach(body => events.add(event(body), None))
    events.flush()
    assert(producer.sends.map(_.batch.bodies) == Seq(Seq("aaaa", "bbbb"), Seq("cccc", "dddd"), Seq("eeee")))
    assert(events.totals == SendTotals(
      events = 5,
      bytes = 20,
      batches = 3,
      throttled = 0,
      retried = 0,
      dropped = 0
    ))
  }

  test("rows that alternate between partitions fill one batch per partition") {
    val producer = confirming()
    val events = accumulator(poolOf(producer))
    (0 until 10).foreach(i => events.add(event(s"$i"), Some((i % 2).toString)))
    events.flush()
    assert(producer.sends.map(_.batch.bodies).toSet == Set(Seq("0", "2", "4", "6", "8"), Seq("1", "3", "5", "7", "9")))
  }

  test("many keys share the batches of their partitions and keep their order") {
    val producer = confirming(partitions = 2)
    val events = accumulator(poolOf(producer), limits.copy(maxInFlightBytes = 10000))
    val sent = (0 until 400).map(i => event(f"$i%05d", Some(s"key-${i % 100}")))
    sent.foreach(events.add(_, None))
    events.flush()
    assert(producer.sends.map(_.batch.destination).toSet ==
      Set(WriteDestination.ToPartition("0"), WriteDestination.ToPartition("1")))
    assert(producer.sends.length <= 202)
    val arrived = producer.sends.flatMap(_.batch.events)
    assert(arrived.map(event => new String(BodyBytes.of(event.body))).toSet.size == 400)
    arrived.groupBy(_.partitionKey).values.foreach { ofKey =>
      val bodies = ofKey.map(event => new String(BodyBytes.of(event.body)))
      assert(bodies == bodies.sorted)
    }
  }

  test("the service hashes a key outside ASCII") {
    val producer = confirming()
    val events = accumulator(poolOf(producer))
    events.add(event("a", Some("Größe")), None)
    events.flush()
    assert(bodiesTo(producer, WriteDestination.ByKey("Größe")) == Seq("a"))
  }

  test("the number of open batches is limited: the oldest is sent first") {
    val producer = confirming()
    val events = accumulator(poolOf(producer), limits.copy(maxOpenBatches = 2))
    Seq("ä", "ö", "ü").foreach(key => events.add(event("x", Some(key)), None))
    assert(producer.sends.map(_.batch.destination) == Seq(WriteDestination.ByKey("ä")))
  }

  test("the bytes of open batches are limited: the largest is sent first") {
    val producer = confirming()
    val events = accumulator(poolOf(producer), limits.copy(maxInFlightBytes = 10))
    Seq("0" -> "aa", "1" -> "bbbbbb", "2" -> "ccc").foreach { case (partition, body) =>
      events.add(event(body), Some(partition))
    }
    assert(producer.sends.map(_.batch.bodies) == Seq(Seq("bbbbbb")))
  }

  test("unconfirmed bytes stay within their limit, and adding waits for room") {
    val unanswered = scala.collection.mutable.Queue.empty[FakeSend]
    var most = 0
    val producer = new FakeProducer(
      1,
      { send =>
        unanswered += send
        most = math.max(most, unanswered.map(_.batch.bytes).sum)
      }
    )
    val results = new ManualSendResults(() => if (unanswered.nonEmpty) unanswered.dequeue().confirm())
    val events = accumulator(poolOf(producer), limits.copy(maxInFlightBytes = 30), results)
    (0 until 100).foreach(_ => events.add(event("1234567890"), None))
    events.flush()
    assert(most == 30)
    assert(events.totals.events == 100)
  }

  test("one batch per partition is on the wire, while batches without a key overlap") {
    val silent = new FakeProducer(4, _ => ())
    val events = accumulator(poolOf(silent))
    (0 until 4).foreach(_ => events.add(event("1234567890"), Some("3")))
    (0 until 4).foreach(_ => events.add(event("1234567890"), None))
    assert(silent.sends.count(_.batch.destination == WriteDestination.ToPartition("3")) == 1)
    assert(silent.sends.count(_.batch.destination == WriteDestination.AnyPartition) == 3)
  }

  test("an event larger than a batch fails with size and limit") {
    val events = accumulator(poolOf(confirming()))
    val failure = intercept[EventHubsException](events.add(event("12345678901"), None))
    assert(failure.getCondition == "EVENTHUBS_EVENT_TOO_LARGE")
    assert(failure.getMessage.contains("about 11 bytes"))
    assert(failure.getMessage.contains("at most 10 bytes"))
  }

  test("an event larger than a batch is dropped and counted if the settings say so") {
    val producer = confirming()
    val events = accumulator(poolOf(producer), limits.copy(oversized = OversizedEvents.Drop))
    Seq("a", "12345678901", "b").foreach(body => events.add(event(body), None))
    events.flush()
    assert(bodiesTo(producer, WriteDestination.AnyPartition) == Seq("a", "b"))
    assert(events.totals.dropped == 1)
    assert(events.totals.events == 2)
  }

  test("after a dropped event the next batch uses the current limit of its link") {
    val limits = mutable.Queue(5, 10)
    val producer = new FakeProducer(4, _.confirm(), limits.dequeue())
    val events = accumulator(poolOf(producer), SendFixture.limits.copy(oversized = OversizedEvents.Drop))
    Seq("12345678", "12345678").foreach(body => events.add(event(body), Some("0")))
    events.flush()
    assert(events.totals.dropped == 1)
    assert(events.totals.events == 1)
  }

  test("an unknown partition fails with its id and the hub's partitions") {
    val events = accumulator(poolOf(confirming(partitions = 2)))
    val failure = intercept[EventHubsException](events.add(event("a"), Some("7")))
    assert(failure.getCondition == "EVENTHUBS_INVALID_EVENT")
    assert(failure.getMessage.contains("no partition '7'"))
    assert(failure.getMessage.contains("Use one of its partitions: 0, 1."))
  }

  test("a row with partition and key is refused with the legacy connector's text") {
    val failure = intercept[EventHubsException](accumulator(poolOf(confirming())).add(event("a", Some("k")), Some("1")))
    assert(failure.getMessage.contains(
      "Both a partitionKey (k) and partition (1) have been detected. Both can not be set."
    ))
  }

  test("a partition key longer than the service allows is refused") {
    val events = accumulator(poolOf(confirming()))
    val failure = intercept[EventHubsException](events.add(event("a", Some("k" * 129)), None))
    assert(failure.getMessage.contains("129 characters; the service accepts at most 128"))
  }

  test("expected totals count open, waiting and sent batches") {
    val events = accumulator(poolOf(new FakeProducer(1, _ => ())))
    Seq("aaaaaaaaaa", "bbbbbbbbbb", "ccc").foreach(body => events.add(event(body), Some("0")))
    assert(events.expectedTotals == SendTotals.Zero.copy(events = 3, bytes = 23, batches = 3))
    assert(events.totals == SendTotals.Zero)
  }
}
