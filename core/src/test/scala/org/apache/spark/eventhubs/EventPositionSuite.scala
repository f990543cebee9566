package org.apache.spark.eventhubs

import java.time.Instant

import testkit.TestSuite

class EventPositionSuite extends TestSuite {

  test("the legacy connector's methods return the same positions, inclusive by default") {
    val now = Instant.parse("2024-01-31T12:00:00Z")
    assert(EventPosition.fromStartOfStream == EventPosition.StartOfStream)
    assert(EventPosition.fromEndOfStream == EventPosition.EndOfStream)
    assert(EventPosition.fromSequenceNumber(5) == EventPosition.AtSequenceNumber(5, inclusive = true))
    assert(EventPosition.fromOffset("5", isInclusive = false) == EventPosition.AtOffset("5", inclusive = false))
    assert(EventPosition.fromEnqueuedTime(now) == EventPosition.AtEnqueuedTime(now, inclusive = true))
  }

  test("the service's names for the ends of a partition are not offsets") {
    assert(EventPosition.fromOffset("-1") == EventPosition.StartOfStream)
    assert(EventPosition.fromOffset("@latest") == EventPosition.EndOfStream)
  }
}
