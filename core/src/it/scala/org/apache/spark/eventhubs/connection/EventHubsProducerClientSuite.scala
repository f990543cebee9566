package org.apache.spark.eventhubs.connection

import java.util.concurrent.TimeUnit
import java.util.{Collections, Date, HashMap => JavaHashMap}

import scala.jdk.CollectionConverters._

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.amqp.{OutgoingBody, OutgoingEvent}
import org.apache.spark.eventhubs.options.{WriteDestination, WriteSettings}
import org.apache.spark.eventhubs.send.SendFixture.event
import org.apache.spark.eventhubs.send.{OneHubBatches, SendLimits, SendPermit, SendTotals}
import testkit.TestSuite

/** Writes with the real SDK to a local hub. */
class EventHubsProducerClientSuite extends TestSuite with WriteHubFixture {

  private def sending(settings: WriteSettings)(add: OneHubBatches => Unit): SendTotals =
    writing(settings) { accumulator =>
      add(accumulator)
      accumulator.flush()
      accumulator.totals
    }

  test("every event arrives once, in the order of its partition") {
    val hub = newHub()
    val totals = sending(settings(hub)) { accumulator =>
      (0 until 40000).foreach(i => accumulator.add(event(f"$i%08d" + "x" * 200), Some((i % 4).toString)))
    }
    assert(totals.events == 40000)
    val arrived = bodies(hub)
    (0 until 4).foreach { partition =>
      assert(arrived(partition).map(_.take(8).toInt) == (partition until 40000 by 4))
    }
  }

  test("events without a destination all arrive") {
    val hub = newHub()
    sending(settings(hub)) { accumulator =>
      (0 until 20000).foreach(i => accumulator.add(event(i.toString + "y" * 300), None))
    }
    assert(bodies(hub).values.flatten.map(_.takeWhile(_ != 'y').toInt).toSeq.sorted == (0 until 20000))
  }

  test("events of one key keep their order and key, in the partition that the service chooses for the key") {
    val hub = newHub()
    val keys = Seq("london", "paris", "Größe", "東京", "a" * 128, "lisbon")
    val totals = sending(settings(hub)) { accumulator =>
      (0 until 6000).foreach(i => accumulator.add(event(i.toString, Some(keys(i % keys.length))), None))
    }
    assert(totals.batches <= 6, "keys share batches")
    val byService = newHub()
    // One event per batch, because the service hashes the key of a batch.
    val pool = newPool()
    val producer = pool.borrow(settings(byService).connection).producer
    keys.foreach { key =>
      val batch = producer.newBatch(WriteDestination.ByKey(key), None).join()
      batch.tryAdd(event(key))
      producer.send(batch).join()
    }
    pool.close()
    val expected = bodies(byService).flatMap { case (partition, found) => found.map(_ -> partition) }
    written(hub).foreach { case (partition, events) =>
      events.groupBy(_.getPartitionKey).foreach { case (key, ofKey) =>
        assert(expected(key) == partition)
        assert(ofKey.map(_.getBodyAsString.toInt) == (keys.indexOf(key) until 6000 by keys.length))
      }
    }
  }

  test("a question about the partitions whose answers are lost is asked again, over the same connection") {
    val hub = newHub()
    val producer = EventHubsProducerClient.open(settings(hub).connection)
    try {
      val scope = FaultScope(hub = Some(hub))
      localHub.faults.inject(Fault(FaultAction.LoseAnswer, Occasion.ManageHub, scope, count = Some(2)))
      assert(producer.partitionIds().get(25, TimeUnit.SECONDS) == Seq("0", "1", "2", "3"))
    } finally producer.close()
  }

  test("all fields of an event arrive with their types") {
    val hub = newHub(1)
    val time = Date.from(java.time.Instant.parse("2024-02-29T12:00:00.123Z"))
    val properties = new JavaHashMap[String, AnyRef]
    properties.putAll(Map[String, AnyRef](
      "string" -> "text",
      "boolean" -> Boolean.box(true),
      "byte" -> Byte.box(1),
      "short" -> Short.box(2),
      "int" -> Int.box(3),
      "long" -> Long.box(4),
      "float" -> Float.box(5.5f),
      "double" -> Double.box(6.5),
      "timestamp" -> time,
      "binary" -> Array[Byte](1, 2, 3)
    ).asJava)
    sending(settings(hub))(_.add(
      OutgoingEvent(OutgoingBody("b".getBytes), Some("k"), properties, Some("m-1"), Some("c-1"), Some("text/plain")),
      None
    ))
    val arrived = written(hub)(0).head
    assert(arrived.getBodyAsString == "b")
    assert(arrived.getPartitionKey == "k")
    assert(arrived.getMessageId == "m-1")
    assert(arrived.getCorrelationId == "c-1")
    assert(arrived.getContentType == "text/plain")
    val values = arrived.getProperties.asScala
    assert(values("string") == "text")
    assert(values("boolean") == Boolean.box(true))
    assert(values("byte") == Byte.box(1))
    assert(values("short") == Short.box(2))
    assert(values("int") == Int.box(3))
    assert(values("long") == Long.box(4))
    assert(values("float") == Float.box(5.5f))
    assert(values("double") == Double.box(6.5))
    assert(values("timestamp") == time)
    assert(values("binary") == new org.apache.qpid.proton.amqp.Binary(Array[Byte](1, 2, 3)))
  }

  test("events up to the limit are sent, a larger one is refused with both sizes") {
    val hub = newHub(1)
    val largest = 1032192 - 64
    val body = "z" * largest
    sending(settings(hub)) { accumulator =>
      (0 until 5).foreach(_ => accumulator.add(event(body), Some("0")))
      accumulator.add(event("small"), Some("0"))
      val refused = intercept[EventHubsException](accumulator.add(event("z" * 1024 * 1024), Some("0")))
      assert(refused.getCondition == "EVENTHUBS_EVENT_TOO_LARGE")
      assert(refused.getMessage.contains("about 1048576 bytes"))
      assert(refused.getMessage.contains("at most 1032192 bytes"))
    }
    assert(bodies(hub)(0).map(_.length) == Seq.fill(5)(largest) :+ 5)
  }

  test("an event that is too large is dropped if the options say so, and batches stay within maxBatchBytes") {
    val hub = newHub(1)
    val options = settings(hub, "eventhubs.maxBatchBytes" -> "2048", "eventhubs.oversizedEvents" -> "drop")
    val totals = sending(options) { accumulator =>
      (0 until 100).foreach(i => accumulator.add(event("e" * (if (i == 50) 5000 else 500)), Some("0")))
    }
    assert(totals.dropped == 1)
    assert(totals.events == 99)
    assert(totals.batches >= 33)
    assert(bodies(hub)(0).length == 99)
  }

  test("a connection that is replaced while sending loses no event and keeps the order") {
    val hub = newHub(2)
    val settings = this.settings(hub)
    val pool = newPool()
    val lease = pool.borrow(settings.connection)
    val accumulator = OneHubBatches(lease, SendLimits.of(settings), SendPermit(() => ()))
    val body = "x" * 900
    (0 until 30000).foreach { i =>
      accumulator.add(event(f"$i%08d$body"), Some((i % 2).toString))
      // The same effect as the service closing the connection, or as a crash of the client.
      if (i % 8000 == 7999) lease.replace(lease.producer)
    }
    accumulator.flush()
    pool.close()
    bodies(hub).foreach { case (partition, arrived) =>
      val numbers = arrived.map(_.take(8).toInt)
      assert(numbers.distinct == (partition until 30000 by 2), "nothing is lost, and first arrivals are in order")
    }
  }

  test("an event may have only an empty body") {
    val hub = newHub(1)
    sending(settings(hub))(_.add(
      OutgoingEvent(OutgoingBody(Array.emptyByteArray), None, Collections.emptyMap[String, AnyRef], None, None, None),
      None
    ))
    assert(bodies(hub)(0) == Seq(""))
  }
}
