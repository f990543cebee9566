package localhub.amqp.event

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.qpid.proton.amqp.messaging._
import org.apache.qpid.proton.amqp.{Binary, Symbol}
import org.apache.qpid.proton.message.Message

import localhub.amqp.server.LinkAddress
import localhub.log.{LogBounds, LogPosition, StartingPoint}
import testkit.TestSuite

class EventCodecSuite extends TestSuite {

  private def encode(message: Message): Array[Byte] = {
    val buffer = new Array[Byte](1 << 20)
    java.util.Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length))
  }

  private def decode(bytes: Array[Byte]): Message = {
    val message = Message.Factory.create()
    message.decode(bytes, 0, bytes.length)
    message
  }

  private def stored(message: Message): Message =
    decode(new StoredEventEncoder(BatchDecoder.decode(encode(message), 0)).encode(
      0,
      LogPosition(7, 4096, 1234567890123L)
    ))

  private def withAnnotations(pairs: (String, AnyRef)*): Message = {
    val message = Message.Factory.create()
    val map = new java.util.HashMap[Symbol, AnyRef]
    pairs.foreach { case (key, value) => map.put(Symbol.valueOf(key), value) }
    message.setMessageAnnotations(new MessageAnnotations(map.asInstanceOf[java.util.Map[Symbol, Object]]))
    message.setBody(new Data(new Binary("body".getBytes(UTF_8))))
    message
  }

  test("a stored event carries its position in the broker's annotations, with the types that SDKs expect") {
    val annotations = stored(withAnnotations()).getMessageAnnotations.getValue
    assert(annotations.get(Symbol.valueOf("x-opt-sequence-number")) == 7L)
    assert(annotations.get(Symbol.valueOf("x-opt-offset")) == "4096")
    assert(annotations.get(Symbol.valueOf("x-opt-enqueued-time")) == new java.util.Date(1234567890123L))
  }

  test("the client's annotations are kept, except those that only the broker sets") {
    val annotations = stored(
      withAnnotations(
        "mine" -> "kept",
        "x-opt-partition-key" -> "k",
        "x-opt-offset" -> "forged",
        "x-opt-sequence-number" -> Long.box(99)
      )
    )
      .getMessageAnnotations.getValue
    assert(annotations.size == 5)
    assert(
      annotations.get(Symbol.valueOf("mine")) == "kept" && annotations.get(Symbol.valueOf("x-opt-partition-key")) == "k"
    )
    assert(annotations.get(Symbol.valueOf("x-opt-offset")) == "4096" && annotations.get(
      Symbol.valueOf("x-opt-sequence-number")
    ) == 7L)
  }

  private def position = LogPosition(0, 0, 0)

  test("header and delivery annotations are kept; everything after the annotations is kept byte for byte") {
    val sent = withAnnotations()
    sent.setDurable(true)
    sent.setDeliveryAnnotations(deliveryAnnotations("hop" -> "first"))
    sent.setSubject("subject")
    sent.setBody(new AmqpSequence(java.util.Arrays.asList(Int.box(1), "two")))
    val bytes = encode(sent)
    val event = BatchDecoder.decode(bytes, 0).head
    val out = new StoredEventEncoder(IndexedSeq(event)).encode(0, position)
    assert(out.toSeq.endsWith(bytes.slice(event.bareMessageStart, event.bareMessageEnd).toSeq))
    assert(decode(out).getHeader.getDurable && decode(out).getSubject == "subject")
    assert(decode(out).getDeliveryAnnotations.getValue.asScala == Map(Symbol.valueOf("hop") -> "first"))
    assert(decode(out).getBody.asInstanceOf[AmqpSequence].getValue.size == 2)
  }

  private def deliveryAnnotations(pairs: (String, AnyRef)*): DeliveryAnnotations = {
    val map = new java.util.HashMap[Symbol, AnyRef]
    pairs.foreach { case (key, value) => map.put(Symbol.valueOf(key), value) }
    new DeliveryAnnotations(map.asInstanceOf[java.util.Map[Symbol, Object]])
  }

  /** A message's sections in the order in which the Python SDK writes them: delivery annotations last. */
  private def asThePythonSdk(message: Message): Array[Byte] = {
    val bytes = encode(message)
    val sections = new MessageSections(bytes, 0, bytes.length)
    val (from, until) = (sections.deliveryAnnotationsStart, sections.deliveryAnnotationsEnd)
    bytes.take(from) ++ bytes.drop(until) ++ bytes.slice(from, until)
  }

  test("delivery annotations may be the last section, as the Python SDK writes them, also in a batch") {
    val sent = withAnnotations("mine" -> "kept")
    sent.setDeliveryAnnotations(deliveryAnnotations("hop" -> "first"))
    sent.setFooter(new Footer(new java.util.HashMap[Object, Object](java.util.Map.of(Symbol.valueOf("end"), "of it"))))
    val late = asThePythonSdk(sent)
    val batch = encode { val m = Message.Factory.create(); m.setBody(new Data(new Binary(late))); m }
    Seq(BatchDecoder.decode(late, 0), BatchDecoder.decode(batch, BatchDecoder.BatchFormat)).foreach { events =>
      val out = decode(new StoredEventEncoder(events).encode(0, position))
      assert(out.getDeliveryAnnotations.getValue.asScala == Map(Symbol.valueOf("hop") -> "first"))
      assert(out.getMessageAnnotations.getValue.get(Symbol.valueOf("mine")) == "kept")
      assert(out.getFooter.getValue.size == 1 && out.getBody.asInstanceOf[Data].getValue.toString == "body")
    }
  }

  test("delivery annotations between other sections, or twice, are refused") {
    val annotations =
      encode { val m = Message.Factory.create(); m.setDeliveryAnnotations(deliveryAnnotations("a" -> "b")); m }
    val body = encode(withAnnotations())
    Seq(body ++ annotations ++ body, annotations ++ body ++ annotations).foreach(bytes =>
      assertThrows[DecodingException](BatchDecoder.decode(bytes, 0))
    )
  }

  test("runtime metrics stand behind the header and keep the client's delivery annotations") {
    val metrics = RuntimeMetrics(LogBounds(0, 41, 4096, 1500), nowMillis = 2000)
    def delivered(configure: Message => Unit): Message = {
      val sent = withAnnotations()
      configure(sent)
      decode(metrics.addedTo(new StoredEventEncoder(BatchDecoder.decode(encode(sent), 0)).encode(0, position)))
    }
    val plain = delivered(_ => ())
    assert(plain.getDeliveryAnnotations.getValue.asScala.map { case (key, value) => s"$key" -> value } == Map(
      "last_enqueued_sequence_number" -> 41L,
      "last_enqueued_offset" -> "4096",
      "last_enqueued_time_utc" -> new java.util.Date(1500),
      "runtime_info_retrieval_time_utc" -> new java.util.Date(2000)
    ))
    val withHeader = delivered(_.setDurable(true))
    assert(withHeader.getHeader.getDurable && withHeader.getDeliveryAnnotations.getValue.size == 4)
    val withBoth = delivered { message =>
      message.setDurable(true)
      message.setDeliveryAnnotations(deliveryAnnotations("hop" -> "first"))
    }
    assert(withBoth.getHeader.getDurable && withBoth.getDeliveryAnnotations.getValue.size == 5)
    assert(withBoth.getBody.asInstanceOf[Data].getValue.toString == "body")
  }

  test("annotations are encoded as map8 while they are short, and as map32 above") {
    def constructor(size: Int): Int = {
      val bytes = encode(withAnnotations("mine" -> "x" * size))
      new StoredEventEncoder(BatchDecoder.decode(bytes, 0)).encode(0, position)(3) & 0xff
    }
    assert(constructor(100) == 0xc1 && constructor(300) == 0xd1)
    (130 to 180).foreach { size =>
      val sent = withAnnotations("mine" -> "x" * size)
      assert(stored(sent).getMessageAnnotations.getValue.get(Symbol.valueOf("mine")) == "x" * size)
    }
  }

  test("a batch is split into its messages") {
    val inner = (1 to 3).map(i => encode(withAnnotations("n" -> Int.box(i))))
    val batch = inner.flatMap(bytes =>
      encode { val m = Message.Factory.create(); m.setBody(new Data(new Binary(bytes))); m }
    ).toArray
    val events = BatchDecoder.decode(batch, BatchDecoder.BatchFormat)
    val numbers = events.indices.map { i =>
      decode(new StoredEventEncoder(events).encode(
        i,
        LogPosition(i.toLong, 0, 0)
      )).getMessageAnnotations.getValue.get(Symbol.valueOf("n"))
    }
    assert(numbers == Seq(1, 2, 3))
  }

  test("a message that is cut at any byte is refused, not stored in part") {
    val bytes = encode(withAnnotations("mine" -> "kept"))
    (1 until bytes.length).foreach { length =>
      val cut = bytes.take(length)
      val whole =
        try BatchDecoder.decode(cut, 0).head.bareMessageEnd == length
        catch { case _: DecodingException => false }
      // A cut between two sections leaves a well-formed message.
      if (whole) decode(cut)
    }
    assertThrows[DecodingException](BatchDecoder.decode(bytes.dropRight(1), 0))
  }

  test("random bytes are refused with a decoding error") {
    val random = new Random(42)
    (1 to 20000).foreach { _ =>
      val bytes = new Array[Byte](random.nextInt(60))
      random.nextBytes(bytes)
      if (random.nextBoolean() && bytes.length > 3) {
        bytes(0) = 0; bytes(1) = 0x53; bytes(2) = (0x70 + random.nextInt(9)).toByte
      }
      val format = if (random.nextBoolean()) 0 else BatchDecoder.BatchFormat
      try { BatchDecoder.decode(bytes, format); () }
      catch { case _: DecodingException => () }
    }
  }

  test("an ASCII partition key maps to the same partition as in the official SDK") {
    val resolverClass = Class.forName("com.azure.messaging.eventhubs.PartitionResolver")
    val constructor = resolverClass.getDeclaredConstructor()
    constructor.setAccessible(true)
    val resolver = constructor.newInstance()
    val assign = resolverClass.getDeclaredMethods.find(_.getName == "assignForPartitionKey").get
    assign.setAccessible(true)
    val random = new Random(7)
    (1 to 5000).foreach { i =>
      val key = if (i % 2 == 0) random.alphanumeric.take(random.nextInt(40)).mkString
      else Seq.fill(random.nextInt(20))(random.nextPrintableChar()).mkString
      val partitions = 1 + random.nextInt(64)
      val ids = Array.tabulate(partitions)(_.toString)
      if (key.nonEmpty)
        assert(assign.invoke(resolver, key, ids) == PartitionKeyHash.partitionOf(key, partitions).toString, key)
    }
  }

  test("a partition key outside ASCII is hashed as by the service's own code, unlike the Java SDK") {
    // From lookup3 as its author published it. The Java SDK returns 1, 3 and 20 for the first three.
    val partitions = Map("\u00fc" -> 21, "\u6771\u4eac" -> 6, "caf\u00e9" -> 31, "Z\u00fcrich" -> 1)
    partitions.foreach { case (key, partition) => assert(PartitionKeyHash.partitionOf(key, 32) == partition, key) }
  }

  test("the selector filter gives the start of a reader") {
    def parse(comparison: String) = SelectorFilter.parse(s"amqp.annotation.$comparison")
    assert(parse("x-opt-offset > '-1'") == Right(StartingPoint.Earliest))
    assert(parse("x-opt-offset > '@latest'") == Right(StartingPoint.Latest))
    assert(parse("x-opt-offset > '123'") == Right(StartingPoint.Offset(123, inclusive = false)))
    assert(parse("x-opt-offset >= '123'") == Right(StartingPoint.Offset(123, inclusive = true)))
    assert(parse("x-opt-sequence-number > '5'") == Right(StartingPoint.SequenceNumber(5, inclusive = false)))
    assert(parse("x-opt-sequence-number >= '5'") == Right(StartingPoint.SequenceNumber(5, inclusive = true)))
    assert(parse("x-opt-enqueued-time > '1500'") == Right(StartingPoint.EnqueuedTime(1500, inclusive = false)))
    assert(parse("x-opt-enqueued-time >= '1500'") == Right(StartingPoint.EnqueuedTime(1500, inclusive = true)))
    // Programs from before the official SDKs send this name, without quotes.
    assert(parse("x-opt-enqueuedtimeutc > 1500") == Right(StartingPoint.EnqueuedTime(1500, inclusive = false)))
  }

  test("the refusal of an invalid filter has the words of the service") {
    Seq("nonsense", "amqp.annotation.x-opt-offset > 'abc'", "amqp.annotation.color > '1'").foreach { filter =>
      val expected = s"The filter '$filter' is not a valid amqp filter for EventHub entities"
      assert(SelectorFilter.parse(filter).left.exists(_.startsWith(expected)))
    }
  }

  test("addresses are bare paths or URLs of any scheme") {
    assert(LinkAddress.parse("hub1") == LinkAddress.Hub("hub1"))
    assert(LinkAddress.parse("amqps://localhost:5672/hub1/Partitions/2") == LinkAddress.Partition("hub1", "2"))
    assert(LinkAddress.parse("hub1/ConsumerGroups/$Default/Partitions/0") == LinkAddress.GroupPartition(
      "hub1",
      "$Default",
      "0"
    ))
    assert(
      LinkAddress.parse("sb://ns/$cbs") == LinkAddress.Cbs && LinkAddress.parse("$management") == LinkAddress.Management
    )
    assert(LinkAddress.parse("hub1/Queues/2") == LinkAddress.Unknown("hub1/Queues/2"))
  }
}
