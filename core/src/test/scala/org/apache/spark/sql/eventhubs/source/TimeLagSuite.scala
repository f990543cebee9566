package org.apache.spark.sql.eventhubs.source

import java.time.Instant

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.connection.PartitionBounds
import testkit.TestSuite

class TimeLagSuite extends TestSuite {

  private def of[A](values: (Int, A)*): Map[NameAndPartition, A] =
    values.map { case (partition, value) => NameAndPartition("hub", partition) -> value }.toMap

  private def bounds(latest: Long, lastMillis: Long) =
    PartitionBounds(0, latest, latest.toString, Instant.ofEpochMilli(lastMillis))

  test("the lag is the time between the last event read and the last event") {
    assert(TimeLag.seconds(of(0 -> 5L), of(0 -> 1000L), of(0 -> bounds(9, 3500))) == of(0 -> 2.5))
  }

  test("a partition that is empty or read to its end has no lag, however old its events are") {
    val seconds = TimeLag.seconds(of(0 -> 9L, 1 -> 0L), Map.empty, of(0 -> bounds(9, 3500), 1 -> bounds(0, 0)))
    assert(seconds == of(0 -> 0.0, 1 -> 0.0))
  }

  test("the lag of a partition that this run has not read is unknown") {
    assert(TimeLag.seconds(of(0 -> 5L), Map.empty, of(0 -> bounds(9, 3500))).isEmpty)
    assert(TimeLag.metrics(Map.empty).isEmpty)
  }

  test("the metrics are the maximum, the mean and the seconds of each partition") {
    assert(TimeLag.metrics(of(10 -> 1.0, 2 -> 3.0)) == Map(
      "maxSecondsBehind" -> "3.0",
      "avgSecondsBehind" -> "2.0",
      "secondsBehind" -> """{"2":3.0,"10":1.0}"""
    ))
  }

  test("the seconds of several hubs are grouped by hub, as the offsets are") {
    val seconds = Map(NameAndPartition("returns", 0) -> 4.0, NameAndPartition("orders", 1) -> 2.0)
    assert(TimeLag.metricsOfHubs(seconds)("secondsBehind") == """{"orders":{"1":2.0},"returns":{"0":4.0}}""")
  }
}
