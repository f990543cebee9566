package org.apache.spark.eventhubs

import java.time.Instant

import org.apache.spark.eventhubs.EventPosition._
import testkit.TestSuite

class PositionParserSuite extends TestSuite {

  private val noon = AtEnqueuedTime(Instant.parse("2024-01-31T12:00:00Z"), inclusive = true)

  Seq(
    "earliest" -> EventPosition.StartOfStream,
    "Earliest" -> EventPosition.StartOfStream,
    "-1" -> EventPosition.StartOfStream,
    "latest" -> EventPosition.EndOfStream,
    " latest " -> EventPosition.EndOfStream,
    "@latest" -> EventPosition.EndOfStream,
    "\"latest\"" -> EventPosition.EndOfStream,
    "0" -> AtSequenceNumber(0, inclusive = true),
    "123" -> AtSequenceNumber(123, inclusive = true),
    "2024-01-31T12:00:00Z" -> noon,
    "2024-01-31T12:00Z" -> noon,
    "2024-01-31t12:00:00z" -> noon,
    "2024-01-31T13:00:00+01:00" -> noon,
    "2024-01-31T13:00:00+0100" -> noon,
    "2024-01-31 12:00:00+00:00" -> noon,
    """{"seqNo":5}""" -> AtSequenceNumber(5, inclusive = true),
    """"{\"seqNo\":5}"""" -> AtSequenceNumber(5, inclusive = true)
  ).foreach { case (text, position) =>
    test(s"$text is a position")(assert(PositionParser.parse(text) == Right(position)))
  }

  Seq(
    "",
    "newest",
    "-2",
    "1.5",
    "99999999999999999999",
    "2024-01-31T12:00:00",
    "2024-01-31",
    "2024-13-01T00:00:00Z"
  ).foreach {
    text => test(s"'$text' is not a position")(assert(PositionParser.parse(text) == Left(PositionParser.Expected)))
  }

  test("a fraction of a second may have any number of digits") {
    def millis(text: String): Long = PositionParser.time(text).get.toEpochMilli % 1000
    assert(millis("2024-01-31T12:00:00.123Z") == 123)
    assert(millis("2024-01-31T12:00:00.123456Z") == 123)
    assert(millis("2024-01-31T12:00:00.999999999Z") == 999)
    assert(millis("2024-01-31T12:00:00.5Z") == 500)
  }
}
