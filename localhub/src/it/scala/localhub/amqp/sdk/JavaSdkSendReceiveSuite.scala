package localhub.amqp.sdk

import java.nio.ByteBuffer
import java.time.Instant
import java.util.{Date, UUID}

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.models.AmqpMessageId
import com.azure.messaging.eventhubs.EventData
import com.azure.messaging.eventhubs.models.{CreateBatchOptions, EventPosition, SendOptions}

import localhub.amqp.HubFixture
import testkit.TestSuite

/** The unmodified official Java SDK sends and receives. */
class JavaSdkSendReceiveSuite extends TestSuite with HubFixture {

  private def bodies(partition: String, count: Int, from: EventPosition = EventPosition.earliest()): Seq[String] =
    read(partition, count, from).map(_.getData.getBodyAsString)

  test("events of a batch are received in order, with sequence numbers from 0") {
    send("1", "a", "b", "c")
    val events = read("1", 3)
    assert(events.map(_.getData.getBodyAsString) == Seq("a", "b", "c"))
    assert(events.map(_.getData.getSequenceNumber.longValue) == Seq(0L, 1L, 2L))
  }

  test("a single event, which is not a batch on the wire, is received like one") {
    send("0", "alone")
    assert(bodies("0", 1) == Seq("alone"))
  }

  test("an event carries offset, enqueued time and, when sent with one, its partition key") {
    val before = Instant.now.minusMillis(1)
    producer().send(Seq(new EventData("x")).asJava, new SendOptions().setPartitionKey("pk1"))
    val event = read("1", 1).head.getData
    assert(event.getPartitionKey == "pk1")
    assert(event.getOffsetString.toLong >= 0)
    assert(!event.getEnqueuedTime.isBefore(before.minusMillis(1)) && !event.getEnqueuedTime.isAfter(Instant.now))
  }

  test("deliveries without partition or key are distributed round-robin") {
    val client = producer()
    (1 to 8).foreach(i => client.send(Seq(new EventData(s"$i")).asJava))
    val perPartition = namespace.find("hub1").toSeq.flatMap(_.partitions.map(_.bounds.lastSequenceNumber + 1))
    assert(perPartition == Seq(2L, 2L, 2L, 2L))
  }

  test("the events of one batch go to one partition") {
    val client = producer()
    client.send((1 to 10).map(i => new EventData(s"$i")).asJava)
    val perPartition = namespace.find("hub1").toSeq.flatMap(_.partitions.map(_.bounds.lastSequenceNumber + 1))
    assert(perPartition.sorted == Seq(0L, 0L, 0L, 10L))
  }

  test("reading starts after a sequence number, or at it when inclusive") {
    send("0", "a", "b", "c", "d")
    assert(bodies("0", 2, EventPosition.fromSequenceNumber(1)) == Seq("c", "d"))
    assert(bodies("0", 3, EventPosition.fromSequenceNumber(1, true)) == Seq("b", "c", "d"))
  }

  test("reading starts after an offset") {
    send("0", "a", "b", "c", "d")
    val offset = read("0", 2).last.getData.getOffsetString
    assert(bodies("0", 2, EventPosition.fromOffsetString(offset)) == Seq("c", "d"))
  }

  test("reading starts after an enqueued time") {
    send("0", "early")
    val enqueued = read("0", 1).head.getData.getEnqueuedTime
    eventually("the clock has advanced")(clock.instant().toEpochMilli > enqueued.toEpochMilli)
    send("0", "late")
    assert(bodies("0", 1, EventPosition.fromEnqueuedTime(enqueued)) == Seq("late"))
  }

  test("a reader from latest receives only later events") {
    send("0", "before")
    val subscription = subscribe(consumer(), "0", EventPosition.latest())
    // A client does not learn that its link is open, so events are sent until one arrives.
    eventually("an event arrives") { send("0", "after"); !subscription.received.isEmpty }
    assert(subscription.next().getData.getBodyAsString == "after")
  }

  test("a reader that waits at the end receives later events") {
    val subscription = subscribe(consumer(), "0")
    send("0", "a")
    assert(subscription.next().getData.getBodyAsString == "a")
    send("0", "b")
    assert(subscription.next().getData.getBodyAsString == "b")
  }

  test("application properties keep every AMQP type") {
    val values: Map[String, AnyRef] = Map(
      "string" -> "Grüße \uD83D\uDE00",
      "int" -> Int.box(-5),
      "long" -> Long.box(Long.MinValue),
      "short" -> Short.box(7),
      "byte" -> Byte.box(1),
      "boolean" -> Boolean.box(true),
      "float" -> Float.box(1.5f),
      "double" -> Double.box(-0.1),
      "char" -> Char.box('ä'),
      "uuid" -> UUID.fromString("6f1a9a1c-3d11-4a1e-9d5a-000000000001"),
      "date" -> new Date(1234567890123L)
    )
    val event = new EventData("x")
    values.foreach { case (key, value) => event.getProperties.put(key, value) }
    producer().send(Seq(event).asJava, new SendOptions().setPartitionId("0"))
    val received = read("0", 1).head.getData.getProperties
    assert(values.keySet.forall(received.containsKey))
    values.foreach { case (key, value) => assert(received.get(key) == value, key) }
  }

  test("message properties and the client's message annotations arrive; the broker sets its own annotations") {
    val event = new EventData("x").setContentType("text/plain").setCorrelationId("c-1").setMessageId("m-1")
    val raw = event.getRawAmqpMessage
    raw.getProperties.setReplyTo(
      new com.azure.core.amqp.models.AmqpAddress("back")
    ).setGroupId("g").setGroupSequence(3L)
    raw.getMessageAnnotations.put("x-custom", "mine")
    raw.getMessageAnnotations.put("x-opt-sequence-number", Long.box(99))
    raw.getMessageAnnotations.put("x-opt-offset", "77")
    producer().send(Seq(event).asJava, new SendOptions().setPartitionId("0"))
    val received = read("0", 1).head.getData
    val properties = received.getRawAmqpMessage.getProperties
    assert(
      received.getContentType == "text/plain" && received.getCorrelationId == "c-1" && received.getMessageId == "m-1"
    )
    assert(
      properties.getReplyTo.toString == "back" && properties.getGroupId == "g" && properties.getGroupSequence == 3L
    )
    assert(properties.getMessageId == new AmqpMessageId("m-1"))
    assert(received.getRawAmqpMessage.getMessageAnnotations.get("x-custom") == "mine")
    assert(received.getSequenceNumber.longValue == 0L && received.getOffsetString == "0")
  }

  test("a body of nearly 1 MB is received unchanged") {
    val body = Array.tabulate(1024 * 1024 - 20 * 1024)(i => (i * 31).toByte)
    val client = producer()
    val batch = client.createBatch(new CreateBatchOptions().setPartitionId("0"))
    assert(batch.tryAdd(new EventData(body)))
    client.send(batch)
    assert(java.util.Arrays.equals(read("0", 1).head.getData.getBody, body))
  }

  test("a batch that the SDK filled to the limit is accepted") {
    val client = producer()
    val batch = client.createBatch(new CreateBatchOptions().setPartitionId("0"))
    assert(batch.getMaxSizeInBytes == 1024 * 1024)
    while (batch.tryAdd(new EventData(ByteBuffer.allocate(1000).putInt(batch.getCount).array))) {}
    client.send(batch)
    val last = read("0", 1, EventPosition.fromSequenceNumber(batch.getCount - 1L, true)).head.getData
    assert(ByteBuffer.wrap(last.getBody).getInt == batch.getCount - 1)
  }

  test("two connections receive 10,000 events completely and in order") {
    val client = producer()
    (0 until 10).foreach { i =>
      client.send(
        (0 until 1000).map(j => new EventData(s"${i * 1000 + j}")).asJava,
        new SendOptions().setPartitionId("0")
      )
    }
    val expected = (0 until 10000).map(_.toString)
    val subscriptions = Seq.fill(2)(subscribe(consumer(), "0"))
    subscriptions.foreach(s => assert(Seq.fill(10000)(s.next().getData.getBodyAsString) == expected))
  }

  test("many links of one connection each receive their partition's events") {
    namespace.create("wide", 64)
    val client = producer(connectionString("wide"))
    (0 until 64).foreach { p =>
      client.send(Seq(new EventData(s"to $p")).asJava, new SendOptions().setPartitionId(s"$p"))
    }
    val reader = consumer(connectionString("wide"))
    val subscriptions = (0 until 64).map(p => subscribe(reader, s"$p"))
    assert(subscriptions.map(_.next().getData.getBodyAsString) == (0 until 64).map(p => s"to $p"))
  }

  test("hub and consumer group are found in upper or lower case") {
    send("0", "a")
    assert(read("0", 1, client = consumer(connectionString("HUB1"), "CG1")).head.getData.getBodyAsString == "a")
  }
}
