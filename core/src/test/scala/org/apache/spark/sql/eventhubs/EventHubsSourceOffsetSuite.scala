package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.connector.read.streaming.Offset
import testkit.TestSuite

class EventHubsSourceOffsetSuite extends TestSuite {

  test("an offset has the legacy connector's JSON, sorted") {
    val offset = EventHubsSourceOffset("hub", Map(10 -> 3L, 2 -> 46L, 0 -> 78L))
    assert(offset.json == """{"hub":{"0":78,"2":46,"10":3}}""")
  }

  test("an offset with quotes and non-ASCII letters in the hub's name is parsed again") {
    val offset = EventHubsSourceOffset(Map("a\"ß" -> Map(0 -> 1L), "b" -> Map(3 -> Long.MaxValue)))
    assert(EventHubsSourceOffset.parse(offset.json) == offset)
  }

  test("an offset that the legacy connector wrote, in hash order, is parsed") {
    assert(EventHubsSourceOffset.parse("""{"ck":{"2":69,"1":93,"3":18,"0":116}}""") ==
      EventHubsSourceOffset("ck", Map(0 -> 116L, 1 -> 93L, 2 -> 69L, 3 -> 18L)))
  }

  test("the legacy connector's sample with several hubs is parsed") {
    val offset = EventHubsSourceOffset.parse("""{"ehName1":{"0":456,"1":789},"ehName2":{"0":0}}""")
    assert(offset.of("ehName1") == Map(0 -> 456L, 1 -> 789L))
    assert(offset.of("ehName2") == Map(0 -> 0L))
  }

  test("offsets with equal content are equal and have the same JSON, in whatever order they were created") {
    val one = EventHubsSourceOffset("hub", Map(0 -> 1L, 1 -> 2L))
    val other = EventHubsSourceOffset("hub", Map(1 -> 2L, 0 -> 1L))
    assert(one == other)
    assert(one.json == other.json)
  }

  test("offsets that differ in a number, a partition or a hub are unequal") {
    val offset = EventHubsSourceOffset("t", Map(0 -> 1L))
    assert(offset != EventHubsSourceOffset("t", Map(0 -> 2L)))
    assert(offset != EventHubsSourceOffset("t", Map(0 -> 1L, 1 -> 0L)))
    assert(offset != EventHubsSourceOffset("T", Map(0 -> 1L)))
  }

  test("a hub is found by its name in any case, like in the service") {
    assert(EventHubsSourceOffset("Telemetry", Map(0 -> 7L)).of("telemetry") == Map(0 -> 7L))
    assert(EventHubsSourceOffset("Telemetry", Map(0 -> 7L)).of("other").isEmpty)
  }

  test("an offset that Spark returns is parsed from its JSON, whatever its class") {
    val spark = new Offset { override def json(): String = """{"hub":{"0":5}}""" }
    assert(EventHubsSourceOffset.from(spark) == EventHubsSourceOffset("hub", Map(0 -> 5L)))
  }

  for (
    text <- Seq(
      "",
      "not json",
      "12",
      "[]",
      "{}",
      """{"hub":{}}""",
      """{"hub":5}""",
      """{"hub":{"x":1}}""",
      """{"hub":{"0":"1"}}""",
      """{"hub":{"0":1.5}}""",
      """{"hub":{"0":99999999999999999999}}""",
      """{"hub":{"0":null}}""",
      """{"logOffset":3}"""
    )
  ) test(s"refused, with the text and what was expected: $text") {
    val error = intercept[EventHubsException](EventHubsSourceOffset.parse(text))
    assert(error.getCondition == "EVENTHUBS_MALFORMED_OFFSET")
    assert(error.getMessage.contains(s"'$text'"))
    assert(error.getMessage.contains("""{"hub":{"0":23,"1":45}}"""))
  }

  test("an offset with a hub that is not an object is refused") {
    assertThrows[EventHubsException](EventHubsSourceOffset.parse("""{"a":5,"b":{"0":1}}"""))
  }
}
