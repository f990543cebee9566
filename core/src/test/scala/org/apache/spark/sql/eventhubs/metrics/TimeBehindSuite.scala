package org.apache.spark.sql.eventhubs.metrics

import java.time.Instant

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.connection.PartitionBounds

class TimeBehindSuite extends AnyFunSuite {

  private def bounds(latest: Long, lastMillis: Long) =
    PartitionBounds(0, latest, latest.toString, Instant.ofEpochMilli(lastMillis))

  test("behind is the time between the last event read and the last there is") {
    assert(TimeBehind.seconds(Map(0 -> 5L), Map(0 -> 1000L), Map(0 -> bounds(9, 3500))) == Map(0 -> 2.5))
  }

  test("a partition that is read to its end, or empty, is not behind, however old its events are") {
    val seconds = TimeBehind.seconds(Map(0 -> 9L, 1 -> 0L), Map.empty, Map(0 -> bounds(9, 3500), 1 -> bounds(0, 0)))
    assert(seconds == Map(0 -> 0.0, 1 -> 0.0))
  }

  test("a partition of which this run has read nothing is unknown") {
    assert(TimeBehind.seconds(Map(0 -> 5L), Map.empty, Map(0 -> bounds(9, 3500))).isEmpty)
    assert(TimeBehind.metrics(Map.empty).isEmpty)
  }

  test("the metrics are the most and the mean") {
    assert(TimeBehind.metrics(Map(0 -> 1.0, 1 -> 3.0)) == Map("maxSecondsBehind" -> "3.0", "avgSecondsBehind" -> "2.0"))
  }
}
