package org.apache.spark.sql.eventhubs.metrics

import java.time.Instant

import org.apache.spark.eventhubs.connection.PartitionBounds
import testkit.TestSuite

class TimeLagSuite extends TestSuite {

  private def bounds(latest: Long, lastMillis: Long) =
    PartitionBounds(0, latest, latest.toString, Instant.ofEpochMilli(lastMillis))

  test("the lag is the time between the last event read and the last event") {
    assert(TimeLag.seconds(Map(0 -> 5L), Map(0 -> 1000L), Map(0 -> bounds(9, 3500))) == Map(0 -> 2.5))
  }

  test("a partition that is empty or read to its end has no lag, however old its events are") {
    val seconds = TimeLag.seconds(Map(0 -> 9L, 1 -> 0L), Map.empty, Map(0 -> bounds(9, 3500), 1 -> bounds(0, 0)))
    assert(seconds == Map(0 -> 0.0, 1 -> 0.0))
  }

  test("the lag of a partition that this run has not read is unknown") {
    assert(TimeLag.seconds(Map(0 -> 5L), Map.empty, Map(0 -> bounds(9, 3500))).isEmpty)
    assert(TimeLag.metrics(Map.empty).isEmpty)
  }

  test("the metrics are the maximum, the mean and the seconds of each partition") {
    assert(TimeLag.metrics(Map(10 -> 1.0, 2 -> 3.0)) == Map(
      "maxSecondsBehind" -> "3.0",
      "avgSecondsBehind" -> "2.0",
      "secondsBehind" -> """{"2":3.0,"10":1.0}"""
    ))
  }
}
