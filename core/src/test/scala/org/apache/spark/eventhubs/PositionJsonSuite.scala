package org.apache.spark.eventhubs

import java.time.Instant

import org.apache.spark.eventhubs.EventPosition._
import testkit.TestSuite

class PositionJsonSuite extends TestSuite {

  private val time = Instant.parse("2019-04-26T00:00:00Z")

  Seq(
    """{"offset":"-1","seqNo":-1,"enqueuedTime":null,"isInclusive":true}""" -> EventPosition.StartOfStream,
    """{"offset": -1, "seqNo": -1, "enqueuedTime": null, "isInclusive": true}""" -> EventPosition.StartOfStream,
    """{"offset":"@latest","seqNo":-1,"enqueuedTime":null,"isInclusive":true}""" -> EventPosition.EndOfStream,
    """{"offset":"123","seqNo":-1,"enqueuedTime":null,"isInclusive":false}""" -> AtOffset("123", inclusive = false),
    """{"offset":123}""" -> AtOffset("123", inclusive = true),
    """{"offset":null,"seqNo":100,"enqueuedTime":null,"isInclusive":true}""" -> AtSequenceNumber(100, inclusive = true),
    """{"seqNo":"100","isInclusive":"false"}""" -> AtSequenceNumber(100, inclusive = false),
    """{"offset":null,"seqNo":-1,"enqueuedTime":"2019-04-26T00:00:00.000Z","isInclusive":true}""" ->
      AtEnqueuedTime(time, inclusive = true),
    """{"enqueuedTime":"2019-04-26T00:00:00.000000Z"}""" -> AtEnqueuedTime(time, inclusive = true),
    """{"enqueuedTime":"2019-04-26T02:00:00+02:00","isInclusive":false}""" -> AtEnqueuedTime(time, inclusive = false)
  ).foreach { case (json, position) =>
    test(s"$json is parsed")(assert(PositionJson.parse(json) == Right(position)))
  }

  test("six fraction digits do not change the time, unlike in the legacy connector") {
    val json = """{"offset":null,"seqNo":-1,"enqueuedTime":"2024-01-31T12:00:00.987654Z","isInclusive":true}"""
    assert(PositionJson.parse(json) ==
      Right(AtEnqueuedTime(Instant.parse("2024-01-31T12:00:00.987654Z"), inclusive = true)))
  }

  test("if several fields are set, the sequence number takes precedence, then the offset, then the time") {
    val all = """{"offset":"5","seqNo":7,"enqueuedTime":"2019-04-26T00:00:00.000Z"}"""
    assert(PositionJson.parse(all) == Right(AtSequenceNumber(7, inclusive = true)))
    val two = """{"offset":"5","seqNo":-1,"enqueuedTime":"2019-04-26T00:00:00.000Z"}"""
    assert(PositionJson.parse(two) == Right(AtOffset("5", inclusive = true)))
  }

  Seq(
    """{"offset":null,"seqNo":-1,"enqueuedTime":null,"isInclusive":true}""" -> "no field is set",
    """{}""" -> "no field is set",
    """{"offst":"5"}""" -> "'offst' is not one of the fields",
    """{"seqNo":-2}""" -> "seqNo is '-2'",
    """{"seqNo":1.5}""" -> "seqNo is '1.5'",
    """{"enqueuedTime":"yesterday"}""" -> "enqueuedTime is 'yesterday'",
    """{"enqueuedTime":"2019-04-26T00:00:00"}""" -> "enqueuedTime is '2019-04-26T00:00:00'",
    """{"seqNo":1,"isInclusive":"maybe"}""" -> "isInclusive is 'maybe'",
    """{"seqNo":1""" -> "not valid JSON",
    """{"seqNo":1} x""" -> "not valid JSON",
    """{"seqNo":1,"seqNo":2}""" -> "not valid JSON",
    """{'offset': '-1', 'seqNo': -1, 'enqueuedTime': None, 'isInclusive': True}""" -> "json.dumps"
  ).foreach { case (json, problem) =>
    test(s"$json is rejected: $problem") {
      val expected = PositionJson.parse(json).left.getOrElse("accepted")
      assert(expected.contains(problem))
    }
  }

  // The JSON is the output of the legacy connector 2.3.22 for the same positions.
  Seq(
    fromStartOfStream -> """{"offset":"-1","seqNo":-1,"enqueuedTime":null,"isInclusive":true}""",
    fromEndOfStream -> """{"offset":"@latest","seqNo":-1,"enqueuedTime":null,"isInclusive":false}""",
    fromOffset("123") -> """{"offset":"123","seqNo":-1,"enqueuedTime":null,"isInclusive":true}""",
    fromSequenceNumber(7) -> """{"offset":null,"seqNo":7,"enqueuedTime":null,"isInclusive":true}""",
    fromEnqueuedTime(Instant.parse("2024-01-31T12:00:00.123Z")) ->
      """{"offset":null,"seqNo":-1,"enqueuedTime":"2024-01-31T12:00:00.123Z","isInclusive":true}""",
    fromEnqueuedTime(Instant.parse("2024-01-31T12:00:00Z")) ->
      """{"offset":null,"seqNo":-1,"enqueuedTime":"2024-01-31T12:00:00.000Z","isInclusive":true}"""
  ).foreach { case (position, json) =>
    test(s"$position is rendered in the legacy connector's form and parsed back") {
      assert(PositionJson.render(position) == json)
      assert(PositionJson.parse(json) == Right(position))
    }
  }

  test("a time more precise than milliseconds keeps its precision in a round trip") {
    val position = fromEnqueuedTime(Instant.parse("2024-01-31T12:00:00.123456Z"))
    assert(PositionJson.parse(PositionJson.render(position)) == Right(position))
  }
}
