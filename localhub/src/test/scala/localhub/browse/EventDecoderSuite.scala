package localhub.browse

import java.util.{Date, List => JList, Map => JMap, UUID}

import org.apache.qpid.proton.amqp._
import org.apache.qpid.proton.amqp.messaging._
import org.apache.qpid.proton.codec.WritableBuffer.ByteBufferWrapper
import org.apache.qpid.proton.message.Message

import localhub.log.{LogEntry, LogPosition}
import testkit.TestSuite

class EventDecoderSuite extends TestSuite {

  private def decoded(fill: Message => Unit): EventView = {
    val message = Message.Factory.create()
    fill(message)
    val buffer = ByteBufferWrapper.allocate(10000)
    message.encode(buffer)
    val bytes = java.util.Arrays.copyOf(buffer.byteBuffer.array, buffer.position)
    EventDecoder.decode("3", LogEntry(LogPosition(7, 700, 0), bytes))
  }

  private def withBody(body: Section): ujson.Obj = decoded(_.setBody(body)).toJson

  private def data(bytes: Array[Byte]): Data = new Data(new Binary(bytes))

  test("a UTF-8 body is text, another body is Base64") {
    val text = withBody(data("Grüße".getBytes("UTF-8")))
    assert(text("body").str == "Grüße" && text("bodyKind").str == "text" && !text("bodyTruncated").bool)
    val bytes = withBody(data(Array(0xff.toByte, 0)))
    assert(bytes("body").str == "/wA=" && bytes("bodyKind").str == "base64")
  }

  test("bodies that are AMQP values and sequences are shown as JSON") {
    val map = JMap.of[String, Any]("n", 1: Integer)
    assert(withBody(new AmqpValue(map))("body").str == """{"n":1}""")
    assert(withBody(new AmqpSequence(JList.of[AnyRef]("a", java.lang.Boolean.TRUE)))("body").str == """["a",true]""")
    assert(withBody(new AmqpValue(Long.MaxValue))("body").str == "\"9223372036854775807\"")
  }

  test("all sections of a body are shown, and a null body as null") {
    def several(sections: Array[Byte]*): ujson.Obj =
      EventDecoder.decode("3", LogEntry(LogPosition(7, 700, 0), sections.toArray.flatten)).toJson
    val sequence = Array[Byte](0, 0x53, 0x76, 0xc0.toByte, 3, 1, 0x54, 1)
    assert(several(sequence, sequence)("body").str == "[1,1]")
    val hello = Array[Byte](0, 0x53, 0x75, 0xa0.toByte, 2) ++ "hi".getBytes
    assert(several(hello, hello)("body").str == "hihi")
    assert(withBody(new AmqpValue(null))("body").str == "null")
    assert(several(Array[Byte](0, 0x53, 0x75, 0x40))("body").str == "null")
  }

  test("an event without a body is shown with an empty one") {
    assert(decoded(_.setMessageId("x")).toJson("body").str.isEmpty)
  }

  test("position, key, properties and annotations are in their fields") {
    val view = decoded { message =>
      message.setBody(data("x".getBytes))
      message.setMessageId(UUID.fromString("00000000-0000-0000-0000-00000000002a"))
      message.setContentType("application/json")
      message.setCreationTime(1000)
      message.setApplicationProperties(new ApplicationProperties(JMap.of[String, AnyRef](
        "int",
        1: Integer,
        "double",
        1.5: java.lang.Double,
        "time",
        new Date(0),
        "unsigned",
        UnsignedInteger.MAX_VALUE,
        "bytes",
        new Binary(Array(0xff.toByte))
      )))
      message.setMessageAnnotations(new MessageAnnotations(JMap.of[Symbol, AnyRef](
        Symbol.valueOf("x-opt-partition-key"),
        "k",
        Symbol.valueOf("x-opt-sequence-number"),
        7L: java.lang.Long,
        Symbol.valueOf("x-own"),
        "o"
      )))
    }
    val json = view.toJson
    assert(json("partition").str == "3" && json("sequenceNumber").num == 7 && json("offset").str == "700")
    assert(json("enqueuedTime").str == "1970-01-01T00:00:00Z" && json("partitionKey").str == "k")
    assert(json("annotations") == ujson.Obj("x-own" -> "o"))
    val system = json("systemProperties")
    assert(system("messageId").str.endsWith("2a") && system("contentType").str == "application/json")
    assert(system("creationTime").str == "1970-01-01T00:00:01Z")
    val own = json("properties")
    assert(own("int").num == 1 && own("double").num == 1.5 && own("time").str == "1970-01-01T00:00:00Z")
    assert(own("unsigned").num == 4294967295.0 && own("bytes") == ujson.Obj("base64" -> "/w=="))
  }

  test("a long body is truncated and marked") {
    val json = decoded(_.setBody(data(("x" * 5000).getBytes))).truncated(100).toJson
    assert(json("body").str.length == 100 && json("bodyTruncated").bool)
  }

  test("an event that is not an AMQP message is shown as bytes, with the reason") {
    val view = EventDecoder.decode("0", LogEntry(LogPosition(0, 0, 0), Array[Byte](1, 2, 3)))
    assert(view.toJson("bodyKind").str == "undecodable" && view.toJson("body").str.endsWith("AQID"))
  }

  test("text is found in body, key and properties, ignoring case") {
    val view = decoded { message =>
      message.setBody(data("Hello".getBytes))
      message.setApplicationProperties(new ApplicationProperties(JMap.of[String, AnyRef]("colour", "Blue")))
    }
    assert(view.contains("hELLO") && view.contains("blue") && view.contains("COLOUR") && !view.contains("red"))
  }
}
