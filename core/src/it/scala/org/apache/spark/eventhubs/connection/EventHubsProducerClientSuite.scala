package org.apache.spark.eventhubs.connection

import java.util.{Collections, Date, HashMap => JavaHashMap}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.amqp.{OutgoingBody, OutgoingEvent}
import org.apache.spark.eventhubs.options.{WriteDestination, WriteSettings}
import org.apache.spark.eventhubs.send.SendFakes.event
import org.apache.spark.eventhubs.send.{BatchAccumulator, SendLimits, SendTotals}

/** The queue with the real SDK against a hub. */
class EventHubsProducerClientSuite extends AnyFunSuite with WriteHubFixture {

  private def sending(settings: WriteSettings)(add: BatchAccumulator => Unit): SendTotals =
    writing(settings) { queue =>
      add(queue)
      queue.flush()
      queue.totals
    }

  test("every event arrives once, in the order of its partition") {
    val hub = newHub()
    val totals = sending(settings(hub)) { queue =>
      (0 until 40000).foreach(i => queue.add(event(f"$i%08d" + "x" * 200), Some((i % 4).toString)))
    }
    assert(totals.events == 40000)
    val arrived = bodies(hub)
    (0 until 4).foreach { partition =>
      assert(arrived(partition).map(_.take(8).toInt) == (partition until 40000 by 4))
    }
  }

  test("events without a destination all arrive") {
    val hub = newHub()
    sending(settings(hub))(queue => (0 until 20000).foreach(i => queue.add(event(i.toString + "y" * 300), None)))
    assert(bodies(hub).values.flatten.map(_.takeWhile(_ != 'y').toInt).toSeq.sorted == (0 until 20000))
  }

  test("events of one key keep their order and their key, in the partition where the service puts the key itself") {
    val hub = newHub()
    val keys = Seq("london", "paris", "Größe", "東京", "a" * 128, "lisbon")
    val totals = sending(settings(hub)) { queue =>
      (0 until 6000).foreach(i => queue.add(event(i.toString, Some(keys(i % keys.length))), None))
    }
    assert(totals.batches <= 6, "keys share batches")
    val byService = newHub()
    // One event per batch: the SDK leaves the key of a batch to the service.
    val pool = newPool()
    val producer = pool.lend(settings(byService).connection).producer
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

  test("all that an event can carry arrives with its type") {
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

  test("events up to the limit are sent, one over it is refused with both sizes") {
    val hub = newHub(1)
    val largest = 1032192 - 64
    val body = "z" * largest
    sending(settings(hub)) { queue =>
      (0 until 5).foreach(_ => queue.add(event(body), Some("0")))
      queue.add(event("small"), Some("0"))
      val refused = intercept[EventHubsException](queue.add(event("z" * 1024 * 1024), Some("0")))
      assert(refused.getCondition == "EVENTHUBS_EVENT_TOO_LARGE")
      assert(refused.getMessage.contains("about 1048576 bytes"))
      assert(refused.getMessage.contains("at most 1032192 bytes"))
    }
    assert(bodies(hub)(0).map(_.length) == Seq.fill(5)(largest) :+ 5)
  }

  test("too large an event is left out when asked for, and batches stay within maxBatchBytes") {
    val hub = newHub(1)
    val options = settings(hub, "eventhubs.maxBatchBytes" -> "2048", "eventhubs.oversizedEvents" -> "drop")
    val totals = sending(options) { queue =>
      (0 until 100).foreach(i => queue.add(event("e" * (if (i == 50) 5000 else 500)), Some("0")))
    }
    assert(totals.dropped == 1)
    assert(totals.events == 99)
    assert(totals.batches >= 33)
    assert(bodies(hub)(0).length == 99)
  }

  test("a connection that is lost while sending loses no event and keeps the order") {
    val hub = newHub(2)
    val settings = this.settings(hub)
    val pool = newPool()
    val lease = pool.lend(settings.connection)
    val queue = BatchAccumulator(lease, SendLimits.of(settings), () => ())
    val body = "x" * 900
    (0 until 30000).foreach { i =>
      queue.add(event(f"$i%08d$body"), Some((i % 2).toString))
      // What the service does to a connection that it has no more use for, and what a crash of the client looks like.
      if (i % 8000 == 7999) lease.replace(lease.producer)
    }
    queue.flush()
    pool.close()
    bodies(hub).foreach { case (partition, arrived) =>
      val numbers = arrived.map(_.take(8).toInt)
      assert(numbers.distinct == (partition until 30000 by 2), "nothing is lost, and first arrivals are in order")
    }
  }

  test("an event without anything but a body may be empty") {
    val hub = newHub(1)
    sending(settings(hub))(_.add(
      OutgoingEvent(OutgoingBody(Array.emptyByteArray), None, Collections.emptyMap[String, AnyRef], None, None, None),
      None
    ))
    assert(bodies(hub)(0) == Seq(""))
  }
}
