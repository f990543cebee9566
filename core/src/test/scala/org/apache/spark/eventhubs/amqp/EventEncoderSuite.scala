package org.apache.spark.eventhubs.amqp

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Date, HashMap => JavaHashMap}

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.qpid.proton.Proton
import org.apache.qpid.proton.amqp.messaging.Data
import org.apache.qpid.proton.amqp.{Binary, Symbol}
import org.apache.qpid.proton.codec.ReadableBuffer
import org.apache.qpid.proton.message.Message

import org.apache.spark.eventhubs.connection.{AmqpEventBatch, EventBatch}
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.options.WriteDestination.{AnyPartition, ByKey, ToPartition}
import org.apache.spark.eventhubs.send.SendFixture.event
import testkit.TestSuite

/** Decodes what was encoded with proton, which the SDKs and the service's own clients use. */
class EventEncoderSuite extends TestSuite {

  private val LinkBytes = 1024 * 1024

  private def batchOf(destination: WriteDestination, events: OutgoingEvent*): AmqpEventBatch = {
    val batch = new AmqpEventBatch(destination, LinkBytes)
    events.foreach(event => assert(batch.tryAdd(event) == EventBatch.Added))
    assert(batch.count == events.length)
    batch
  }

  /** The annotations of the batch and the messages in it. */
  private def decoded(batch: AmqpEventBatch): (Map[Symbol, AnyRef], Seq[Message]) = {
    val sections = AmqpSections(batch.array, batch.bytes)
    val annotations = sections.collect { case found: org.apache.qpid.proton.amqp.messaging.MessageAnnotations =>
      found.getValue.asScala.toMap.map { case (name, value) => name -> value.asInstanceOf[AnyRef] }
    }
    val messages = sections.collect { case data: Data =>
      val binary = data.getValue
      val message = Proton.message()
      message.decode(binary.getArray, binary.getArrayOffset, binary.getLength)
      message
    }
    (annotations.headOption.getOrElse(Map.empty), messages)
  }

  private def only(event: OutgoingEvent): Message = decoded(batchOf(ToPartition("0"), event))._2 match {
    case Seq(message) => message
    case several => fail(s"${several.length} messages")
  }

  private def body(message: Message): Array[Byte] = message.getBody match {
    case data: Data =>
      val value = data.getValue
      java.util.Arrays.copyOfRange(value.getArray, value.getArrayOffset, value.getArrayOffset + value.getLength)
    case other => fail(s"a body of $other")
  }

  private def properties(entries: (String, AnyRef)*): JavaHashMap[String, AnyRef] = {
    val map = new JavaHashMap[String, AnyRef]
    entries.foreach { case (name, value) => map.put(name, value) }
    map
  }

  test("bodies of every length around an encoding's limit arrive complete, without other sections") {
    for (length <- Seq(0, 1, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 257, 16383, 65536, 900000)) {
      val content = RandomBytes(length)
      val message = only(event("").copy(body = OutgoingBody(content)))
      assert(body(message).sameElements(content), s"body of $length bytes")
      assert(message.getProperties == null)
      assert(message.getApplicationProperties == null)
      assert(message.getMessageAnnotations == null)
    }
  }

  test("a numbered event has the producer's epoch, id and its own number next to its other sections") {
    val key = "k" * 128
    val entries = properties("p" -> "v" * 300)
    val events = Seq(
      event("bare"),
      event("a" * 130),
      event("b" * 1000),
      event("key", Some(key)),
      event("short", Some("k")),
      event("properties").copy(properties = entries, messageId = Some("id")),
      event("stamp").copy(stamp = Some(new SharedStampProperty(StampName("stamp"), Array[Byte](1, 2, 3))))
    )
    val batch = new AmqpEventBatch(ToPartition("0"), LinkBytes, isNumbered = true)
    events.foreach(event => assert(batch.tryAdd(event) == EventBatch.Added))
    batch.number(id = 1L << 40, epoch = 300, first = 100000)
    val sent = batch.array
    def check(epoch: Short): Unit = decoded(batch)._2.zip(events).zipWithIndex.foreach { case ((message, of), index) =>
      val annotations = message.getMessageAnnotations.getValue.asScala.toMap
      val numbers = Map[Symbol, AnyRef](
        Symbol.valueOf("com.microsoft:producer-epoch") -> Short.box(epoch),
        Symbol.valueOf("com.microsoft:producer-id") -> Long.box(1L << 40),
        Symbol.valueOf("com.microsoft:producer-sequence-number") -> Int.box(100000 + index)
      )
      assert(annotations == numbers ++ of.partitionKey.map(Symbol.valueOf("x-opt-partition-key") -> _))
      assert(body(message).sameElements(BodyBytes.of(of.body)))
      assert(Option(message.getApplicationProperties).isDefined == (of.stamp.isDefined || !of.properties.isEmpty))
    }
    check(epoch = 300)
    // A connection that was given up may still reference the first array.
    val before = sent.clone()
    batch.number(id = 1L << 40, epoch = 301, first = 100000)
    check(epoch = 301)
    assert(sent.sameElements(before))
  }

  test("each property type has its own AMQP type, also for numbers at their limits") {
    val values = Seq[AnyRef](
      "text",
      "",
      "Größe 東京 🙂",
      "x" * 255,
      "x" * 256,
      Boolean.box(true),
      Boolean.box(false),
      Byte.box(-128),
      Byte.box(127),
      Short.box(-32768),
      Short.box(32767),
      Int.box(0),
      Int.box(-128),
      Int.box(127),
      Int.box(128),
      Int.box(-129),
      Int.box(Int.MinValue),
      Int.box(Int.MaxValue),
      Long.box(-128),
      Long.box(127),
      Long.box(128),
      Long.box(-129),
      Long.box(Long.MinValue),
      Long.box(Long.MaxValue),
      Float.box(-1.5f),
      Float.box(Float.NaN),
      Double.box(Double.MinPositiveValue),
      new Date(0),
      new Date(1709208000123L),
      new Date(-1)
    )
    values.foreach { value =>
      val arrived = only(event("b").copy(properties = properties("p" -> value))).getApplicationProperties.getValue
      assert(arrived.size == 1)
      // Java's equals: with Scala's, NaN differs from itself, and an Int equals a Long.
      assert(arrived.get("p").equals(value), value.getClass)
    }
    val bytes = RandomBytes(300)
    val binary = only(event("b").copy(properties = properties("p" -> bytes))).getApplicationProperties.getValue.get("p")
    assert(binary == new Binary(bytes))
  }

  test("a type without an AMQP counterpart is refused") {
    val strange = event("b").copy(properties = properties("p" -> java.math.BigDecimal.ONE))
    val refused = intercept[IllegalArgumentException](batchOf(AnyPartition, strange))
    assert(refused.getMessage.contains("java.math.BigDecimal"))
  }

  test("maps around the limits of both encodings arrive complete") {
    for (count <- Seq(1, 2, 30, 60, 127, 128, 300); size <- Seq(0, 1, 200)) {
      val entries = (0 until count).map(i => f"p$i%03d" -> "v" * size)
      val message = only(event("b").copy(properties = properties(entries: _*)))
      assert(message.getApplicationProperties.getValue.asScala.toSeq.sortBy(_._1) == entries)
      assert(body(message).sameElements("b".getBytes))
    }
  }

  test("a stamp is one more property, and replaces a user's property of its name") {
    val stamp = new StampProperty(StampName("stamp"), Array[Byte](1, 2, 3))
    val own = Map[Any, Any]("stamp" -> new Binary(stamp.bytes))
    val bare = event("b").copy(stamp = Some(stamp))
    assert(only(bare).getApplicationProperties.getValue.asScala == own)
    val hidden = bare.copy(properties = properties("stamp" -> "user's", "other" -> "o"))
    assert(only(hidden).getApplicationProperties.getValue.asScala == own + ("other" -> "o"))
  }

  test("a shared stamp, and a body without properties, give the same bytes as the general encoding") {
    val (name, bytes) = (StampName("stamp"), Array[Byte](1, 2, 3))
    def encoded(event: OutgoingEvent): Seq[Byte] = {
      val batch = batchOf(AnyPartition, event)
      batch.array.toSeq.take(batch.bytes)
    }
    for (size <- Seq(0, 1, 100) ++ (210 to 270) ++ Seq(1000, 70000)) {
      val alone = event("b" * size)
      assert(body(only(alone)).sameElements("b" * size))
      val (own, shared) = (new StampProperty(name, bytes), new SharedStampProperty(name, bytes))
      assert(encoded(alone.copy(stamp = Some(shared))) == encoded(alone.copy(stamp = Some(own))))
      val keyed = event("b" * size, Some("key")).copy(properties = properties("p" -> "v"))
      assert(encoded(keyed.copy(stamp = Some(shared))) == encoded(keyed.copy(stamp = Some(own))))
    }
  }

  test("ids and content type arrive, each alone and all together") {
    val texts = Seq(None, Some(""), Some("id-1"), Some("i" * 300))
    for (messageId <- texts; correlationId <- texts; contentType <- texts) {
      val sent = event("b").copy(messageId = messageId, correlationId = correlationId, contentType = contentType)
      val message = only(sent)
      assert(Option(message.getMessageId) == messageId)
      assert(Option(message.getCorrelationId) == correlationId)
      assert(Option(message.getContentType) == contentType)
      assert(message.getSubject == null && message.getReplyTo == null && message.getAddress == null)
    }
  }

  test("a key is in each event, and in the batch only if the service hashes it") {
    val key = Symbol.valueOf("x-opt-partition-key")
    val (ofPartition, hashedHere) = decoded(batchOf(ToPartition("0"), event("a", Some("k1")), event("b", Some("k2"))))
    assert(ofPartition.isEmpty)
    assert(hashedHere.map(_.getMessageAnnotations.getValue.asScala.toMap) == Seq(Map(key -> "k1"), Map(key -> "k2")))
    val (ofKey, hashedThere) = decoded(batchOf(ByKey("Größe"), event("a", Some("Größe")), event("b")))
    assert(ofKey == Map(key -> "Größe"))
    assert(hashedThere.map(_.getMessageAnnotations.getValue.asScala.toMap) == Seq.fill(2)(Map(key -> "Größe")))
  }

  test("random events arrive unchanged and in order, and the sizes grow with each event") {
    val random = new Random(17)
    def text(): Option[String] = Option.when(random.nextBoolean())(random.nextString(random.nextInt(40)))
    val events = Seq.fill(2000)(OutgoingEvent(
      OutgoingBody(RandomBytes(random.nextInt(600), random)),
      text(),
      properties(Seq.fill(random.nextInt(6))(random.nextString(random.nextInt(9)) -> Long.box(random.nextLong())): _*),
      text(),
      text(),
      Option.when(random.nextBoolean())(random.alphanumeric.take(12).mkString),
      Option.when(random.nextBoolean())(new StampProperty(StampName("stamp"), RandomBytes(37, random)))
    ))
    val batch = new AmqpEventBatch(AnyPartition, LinkBytes)
    val sizes = events.map { event =>
      assert(batch.tryAdd(event) == EventBatch.Added)
      batch.bytes
    }
    assert(sizes == sizes.sorted.distinct)
    val messages = decoded(batch)._2
    assert(messages.length == events.length)
    events.zip(messages).foreach { case (sent, arrived) =>
      assert(body(arrived).sameElements(BodyBytes.of(sent.body)))
      assert(Option(arrived.getMessageId) == sent.messageId)
      assert(Option(arrived.getCorrelationId) == sent.correlationId)
      assert(Option(arrived.getContentType) == sent.contentType)
      val expected: Map[Any, Any] =
        sent.properties.asScala.toMap[Any, Any] ++ sent.stamp.map(stamp => stamp.name.text -> new Binary(stamp.bytes))
      val found = Option(arrived.getApplicationProperties).map(_.getValue.asScala.toMap[Any, Any]).getOrElse(Map.empty)
      assert(found == expected)
    }
  }

  test("an event that does not fit leaves its batch unchanged") {
    val batch = new AmqpEventBatch(ToPartition("0"), 1000)
    assert(batch.tryAdd(event("x" * 1001)) == EventBatch.TooLarge)
    assert(batch.tryAdd(event("x" * 995)) == EventBatch.TooLarge)
    assert(batch.bytes == 0)
    assert(batch.tryAdd(event("a" * 600)) == EventBatch.Added)
    val before = batch.bytes
    assert(batch.tryAdd(event("b" * 600)) == EventBatch.Full)
    assert(batch.bytes == before)
    assert(batch.tryAdd(event("c" * 300)) == EventBatch.Added)
    assert(decoded(batch)._2.map(message => new String(body(message), UTF_8)) == Seq("a" * 600, "c" * 300))
  }
}

/** Decodes the sections of a message one by one, because a batch has several Data sections. */
private object AmqpSections {

  def apply(bytes: Array[Byte], length: Int): Seq[AnyRef] = {
    val decoder = new org.apache.qpid.proton.codec.DecoderImpl
    val encoder = new org.apache.qpid.proton.codec.EncoderImpl(decoder)
    org.apache.qpid.proton.codec.AMQPDefinedTypes.registerAllTypes(decoder, encoder)
    decoder.setBuffer(ReadableBuffer.ByteBufferReader.wrap(java.nio.ByteBuffer.wrap(bytes, 0, length)))
    val sections = Seq.newBuilder[AnyRef]
    while (decoder.getBuffer.hasRemaining) sections += decoder.readObject()
    sections.result()
  }
}
