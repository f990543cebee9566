package localhub.browse

import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.message.Message

import localhub.log.{LogEntry, LogPosition}
import testkit.TestSuite

class ExactJsonSuite extends TestSuite {

  private def event(properties: String): JsonEvent =
    JsonEvent.parse(ExactJson.read(s"""{"body": "x", "properties": $properties}""".getBytes))

  private def stored(properties: String): Map[String, Any] = {
    val message = Message.Factory.create()
    val bytes = event(properties).encoded
    message.decode(bytes, 0, bytes.length)
    message.getApplicationProperties.getValue.asScala.toMap
  }

  test("a property is stored with the type that its JSON has") {
    val sent = """{"a": 1.0, "b": 1, "c": 9007199254740993, "d": -9223372036854775808, "e": 1e3, "f": null, "g": "1"}"""
    assert(stored(sent) == Map(
      "a" -> 1.0,
      "b" -> 1L,
      "c" -> 9007199254740993L,
      "d" -> Long.MinValue,
      "e" -> 1000.0,
      "f" -> null,
      "g" -> "1"
    ))
    assert(stored(sent)("a").isInstanceOf[java.lang.Double] && stored(sent)("b").isInstanceOf[java.lang.Long])
  }

  test("a whole number that no AMQP type of the hub holds is refused") {
    val refused = intercept[InvalidEventException](event("""{"a": 9223372036854775808}"""))
    assert(refused.getMessage.contains("'a' is 9223372036854775808; expected a whole number of 64 bits"))
  }

  test("a number with a fraction is shown with it, also in a body") {
    val properties = event("""{"a": 1.0, "b": 1, "c": 0.1}""").encoded
    val view = EventDecoder.decode("0", LogEntry(LogPosition(0, 0, 0), properties))
    assert(ExactJson.write(view.toJson("properties")) == """{"a":1.0,"b":1,"c":0.1}""")
    assert(view.contains("1.0"))
  }

  test("other values are written as they were read") {
    val text = """{"list":[true,false,null,"ü"],"number":123456789012345678901234567890.5}"""
    assert(ExactJson.write(ExactJson.read(text.getBytes("UTF-8"))) == text)
  }
}
