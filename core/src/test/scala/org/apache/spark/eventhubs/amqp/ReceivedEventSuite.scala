package org.apache.spark.eventhubs.amqp

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Date, LinkedHashMap => JavaLinkedHashMap, List => JavaList, Map => JavaMap, UUID}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.qpid.proton.amqp._
import org.apache.qpid.proton.amqp.messaging._
import org.apache.qpid.proton.message.Message

import org.apache.spark.unsafe.types.UTF8String
import testkit.TestSuite

class ReceivedEventSuite extends TestSuite {

  private val random = new Random(4711)

  private def event(message: Array[Byte]): ReceivedEvent = {
    val event = new ReceivedEvent
    event.set(message)
    event
  }

  private def entries(each: ((UTF8String, UTF8String) => Unit) => Unit): Seq[(String, String)] = {
    val found = mutable.ArrayBuffer.empty[(String, String)]
    each((name, value) => found += name.toString -> Option(value).map(_.toString).orNull)
    found.toSeq
  }

  private def texts(values: JavaMap[_, AnyRef]): Seq[(String, String)] =
    values.asScala.toSeq.map { case (name, value) => name.toString -> Option(value).map(AmqpText.of).orNull }

  /** Text for both widths of length fields. */
  private def anyText(): String = random.alphanumeric.take(random.nextInt(4) match {
    case 0 => 0
    case 1 => 300
    case _ => random.nextInt(20)
  }).mkString + (if (random.nextBoolean()) "äß€😀" else "")

  private def anyValue(): AnyRef = random.nextInt(24) match {
    case 0 => Boolean.box(random.nextBoolean())
    case 1 => UnsignedByte.valueOf(random.nextInt().toByte)
    case 2 => UnsignedShort.valueOf(random.nextInt().toShort)
    case 3 => UnsignedInteger.valueOf(random.nextInt())
    case 4 => UnsignedInteger.ZERO
    case 5 => UnsignedLong.valueOf(random.nextLong())
    case 6 => UnsignedLong.valueOf(5)
    case 7 => Byte.box(random.nextInt().toByte)
    case 8 => Short.box(random.nextInt().toShort)
    case 9 => Int.box(random.nextInt())
    case 10 => Int.box(-3)
    case 11 => Long.box(random.nextLong())
    case 12 => Long.box(7)
    case 13 => Float.box(random.nextFloat())
    case 14 => Double.box(random.nextDouble())
    case 15 => Char.box('ä')
    case 16 => new Date(random.nextInt().toLong)
    case 17 => new UUID(random.nextLong(), random.nextLong())
    case 18 => new Binary(RandomBytes(random.nextInt(400), random))
    case 19 => Symbol.valueOf("a-symbol")
    case 20 => JavaList.of("x", Int.box(1))
    case 21 => JavaMap.of("k", "v")
    case 22 => null
    case _ => anyText()
  }

  private def anyBody(): Section = random.nextInt(8) match {
    case 0 => new AmqpValue("a text value")
    case 1 => new AmqpValue(new Binary("a binary value".getBytes(UTF_8)))
    case 2 => new AmqpSequence(JavaList.of("x", Int.box(1)))
    case 3 => null
    case _ => new Data(new Binary(RandomBytes(Seq(0, 10, 255, 256, 3000)(random.nextInt(5)), random)))
  }

  private def anyMessage(): Message = {
    val annotations = new JavaLinkedHashMap[Symbol, AnyRef]
    val own = Seq[(String, AnyRef)](
      "x-opt-sequence-number" -> Long.box(if (random.nextBoolean()) random.nextLong() else random.nextInt(100).toLong),
      "x-opt-offset" -> random.nextInt().toString,
      "x-opt-enqueued-time" -> new Date(random.nextLong() >>> 20)
    )
    val more = Seq.fill(random.nextInt(3))(s"x-${random.nextInt(100)}" -> anyValue()) ++
      Option.when(random.nextBoolean())("x-opt-partition-key" -> anyText()) ++
      Option.when(random.nextInt(4) == 0)("x-opt-publisher" -> anyText())
    random.shuffle(own ++ more).foreach { case (name, value) => annotations.put(Symbol.valueOf(name), value) }
    val properties = new JavaLinkedHashMap[String, AnyRef]
    (1 to random.nextInt(40)).foreach(_ => properties.put(anyText(), anyValue()))
    val sent = new Properties
    sent.setMessageId(anyText())
    sent.setContentType(Symbol.valueOf("text/plain"))
    Message.Factory.create(
      if (random.nextBoolean()) new Header else null,
      if (random.nextBoolean()) new DeliveryAnnotations(JavaMap.of(Symbol.valueOf("x-opt-offset"), "not this"))
      else null,
      new MessageAnnotations(annotations),
      if (random.nextBoolean()) sent else null,
      if (random.nextBoolean()) new ApplicationProperties(properties) else null,
      anyBody(),
      if (random.nextBoolean()) new Footer(JavaMap.of(Symbol.valueOf("x-opt-offset"), "nor this")) else null
    )
  }

  test("a thousand messages of all sections and types are read as proton reads them") {
    val received = new ReceivedEvent
    (1 to 1000).foreach { _ =>
      val encoded = FakeMessage.encoded(anyMessage())
      val expected = Message.Factory.create()
      expected.decode(encoded, 0, encoded.length)
      val annotations = expected.getMessageAnnotations.getValue
      def annotation(name: String): AnyRef = annotations.get(Symbol.valueOf(name))
      received.set(encoded)
      assert(received.sequenceNumber == annotation("x-opt-sequence-number"))
      assert(received.offset == annotation("x-opt-offset"))
      assert(received.enqueuedMillis == annotation("x-opt-enqueued-time").asInstanceOf[Date].getTime)
      assert(received.partitionKey == annotation("x-opt-partition-key"))
      assert(Option(received.publisherText).map(_.toString) == Option(annotation("x-opt-publisher")))
      val further = texts(annotations).filterNot { case (name, _) =>
        Set("x-opt-sequence-number", "x-opt-offset", "x-opt-enqueued-time")(name)
      }
      assert(entries(received.eachFurtherAnnotation) == further)
      assert(received.hasFurtherAnnotations == further.nonEmpty)
      val properties =
        Option(expected.getApplicationProperties).fold(Seq.empty[(String, String)])(p => texts(p.getValue))
      assert(entries(received.eachApplicationProperty) == properties)
      assert(texts(received.applicationProperties) == properties)
      assert(Option(received.properties).map(_.toString) == Option(expected.getProperties).map(_.toString))
      val body = expected.getBody match {
        case data: Data => data.getValue.getArray.slice(data.getValue.getArrayOffset, data.getValue.getLength)
        case value: AmqpValue => AmqpText.ofValue(value.getValue)
        case sequence: AmqpSequence => AmqpText.ofSequences(Seq(sequence.getValue))
        case _ => null
      }
      assert(received.hasNullBody == (body eq null))
      assert(Option(received.body).map(_.toSeq) == Option(body).map(_.toSeq))
      val sectionLength = expected.getBody match {
        case _: Data => body.length
        case null => 0
        case other => encodedLength(other)
      }
      assert(received.bodyLength == sectionLength)
    }
  }

  private def encodedLength(body: Section): Int = {
    val message = Message.Factory.create()
    message.setBody(body)
    FakeMessage.encoded(message).length
  }

  test("a body in several Data sections is their content together") {
    val first = FakeMessage(5, "one ".getBytes(UTF_8))
    def data(text: String): Array[Byte] =
      Array[Byte](0, 0x53, 0x75, 0xa0.toByte, text.length.toByte) ++ text.getBytes(UTF_8)
    val several = event(first ++ data("two ") ++ data("three"))
    assert(new String(several.body, UTF_8) == "one two three")
    assert(several.bodyLength == 13)
  }

  /** Annotations of event 5, without a body. */
  private val bodiless: Array[Byte] = {
    val message = FakeMessage.decoded(5, Array.emptyByteArray)
    message.setBody(null)
    FakeMessage.encoded(message)
  }

  private def nullIn(section: Byte): Array[Byte] = Array[Byte](0, 0x53, section, 0x40)

  test("a body without a value is null, not the text null: no section, a null value, and null Data of the JS SDK") {
    val (value, data) = (nullIn(0x77), nullIn(0x75))
    Seq(bodiless, bodiless ++ value, bodiless ++ data, bodiless ++ data ++ data).foreach { message =>
      val read = event(message)
      assert(read.hasNullBody && (read.body eq null) && read.bodyLength == 0)
    }
  }

  test("an empty body is not null, nor is one with null Data between other Data, nor a null in a sequence") {
    val empty = event(bodiless ++ Array[Byte](0, 0x53, 0x75, 0xa0.toByte, 0))
    assert(!empty.hasNullBody && empty.body.isEmpty)
    val some = event(bodiless ++ nullIn(0x75) ++ Array[Byte](0, 0x53, 0x75, 0xa0.toByte, 1, 'x'))
    assert(new String(some.body, UTF_8) == "x")
    val sequence = event(bodiless ++ Array[Byte](0, 0x53, 0x76, 0xc0.toByte, 2, 1, 0x40))
    assert(new String(sequence.body, UTF_8) == "[null]")
  }

  test("a body in several sequence sections is all of their items, and its length is that of all sections") {
    def sequence(item: Byte): Array[Byte] = Array[Byte](0, 0x53, 0x76, 0xc0.toByte, 3, 1, 0x54, item)
    val several = event(bodiless ++ sequence(1) ++ sequence(2) ++ sequence(3))
    assert(new String(several.body, UTF_8) == "[1,2,3]")
    assert(several.bodyLength == 24)
    assert(new String(event(bodiless ++ sequence(1) ++ nullIn(0x76)).body, UTF_8) == "[1]")
  }

  test("sections with wide numbers or symbols as descriptors are found") {
    val bytes = FakeMessage(5, Array[Byte](1, 2))
    val wide = bytes.take(0) ++ Array[Byte](0, 0x80.toByte, 0, 0, 0, 0, 0, 0, 0, 0x72) ++ bytes.drop(3)
    assert(event(wide).sequenceNumber == 5)
    val name = "amqp:message-annotations:map"
    val named = Array[Byte](0, 0xa3.toByte, name.length.toByte) ++ name.getBytes(UTF_8) ++ bytes.drop(3)
    val read = event(named)
    assert(read.sequenceNumber == 5 && read.body.toSeq == Seq[Byte](1, 2))
  }

  test("bytes that are not a message are refused, and reading them always ends") {
    val received = new ReceivedEvent
    var refused = 0
    (1 to 20000).foreach { _ =>
      val bytes = FakeMessage.encoded(anyMessageOnce).clone()
      val broken =
        if (random.nextBoolean()) bytes.take(random.nextInt(bytes.length))
        else {
          (1 to 1 + random.nextInt(3)).foreach(_ => bytes(random.nextInt(bytes.length)) = random.nextInt().toByte)
          bytes
        }
      try {
        received.set(broken)
        received.body
        received.bodyLength
        entries(received.eachApplicationProperty)
        entries(received.eachFurtherAnnotation)
      } catch {
        case _: MalformedMessageException => refused += 1
        // Found only when the broken part is read.
        case _: RuntimeException => ()
      }
    }
    assert(refused > 1000)
  }

  private lazy val anyMessageOnce: Message = Iterator.continually(anyMessage()).find(_.getBody.isInstanceOf[Data]).get

  test("a message without a sequence number fails with the missing annotation") {
    val message = Message.Factory.create()
    message.setBody(new Data(new Binary(Array[Byte](1))))
    val failure = intercept[MalformedMessageException](event(FakeMessage.encoded(message)))
    assert(failure.getMessage == "it has no annotation x-opt-sequence-number")
  }
}
