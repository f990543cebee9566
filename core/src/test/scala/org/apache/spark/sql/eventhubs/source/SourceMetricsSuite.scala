package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.NameAndPartition
import testkit.TestSuite

class SourceMetricsSuite extends TestSuite {

  private def metrics(consumed: Map[Int, Long], newest: Map[Int, Long], lost: Long = 0): Map[String, String] =
    SourceMetrics(of("hub", consumed), of("hub", newest), lost)

  private def of[A](hub: String, values: Map[Int, A]): Map[NameAndPartition, A] =
    values.map { case (partition, value) => NameAndPartition(hub, partition) -> value }

  test("the metrics are the lag of the partitions and the slowest partition") {
    assert(metrics(Map(0 -> 10L, 1 -> 5L, 2 -> 7L), Map(0 -> 12L, 1 -> 11L, 2 -> 8L), lost = 4) == Map(
      "eventsBehind" -> "9",
      "minEventsBehind" -> "1",
      "maxEventsBehind" -> "6",
      "avgEventsBehind" -> "3.0",
      "slowestPartition" -> "1",
      "lostEvents" -> "4"
    ))
  }

  test("of a compacted hub the lag is in sequence numbers, and the slowest partition is the latest in time") {
    val (consumed, newest) = (Map(0 -> 10L, 1 -> 5L), Map(0 -> 90L, 1 -> 8L))
    def metrics(seconds: Map[Int, Double]): Map[String, String] = SourceMetrics(
      of("hub", consumed),
      of("hub", newest),
      lostEvents = 0,
      of("hub", seconds),
      isCompacted = true
    )
    val numbers = Map("sequenceNumbersBehind" -> "83", "maxSequenceNumbersBehind" -> "80", "lostEvents" -> "0")
    assert(metrics(Map.empty) == numbers)
    assert(metrics(Map(0 -> 2.0, 1 -> 30.0)) == numbers + ("slowestPartition" -> "1"))
  }

  test("all events of an added partition count") {
    assert(metrics(Map(0 -> 10L), Map(0 -> 10L, 1 -> 8L))("eventsBehind") == "8")
  }

  test("the lag of a hub that lost events is never negative") {
    assert(metrics(Map(0 -> 10L), Map(0 -> 3L))("eventsBehind") == "0")
  }

  test("without partitions only the lost events are reported") {
    assert(metrics(Map.empty, Map.empty, lost = 2) == Map("lostEvents" -> "2"))
  }

  test("what an AvailableNow query has left is the way to its fixed end, never negative") {
    val (consumed, end) = (of("hub", Map(0 -> 10L, 1 -> 5L)), of("hub", Map(0 -> 12L, 1 -> 4L, 2 -> 8L)))
    assert(SourceMetrics.left(consumed, end, isCompacted = false) == Map("eventsLeft" -> "10"))
    assert(SourceMetrics.left(consumed, end, isCompacted = true) == Map("sequenceNumbersLeft" -> "10"))
  }

  test("over several hubs the slowest partition has its hub, and each hub its own numbers") {
    val consumed = of("orders", Map(0 -> 10L, 1 -> 5L)) ++ of("returns", Map(0 -> 1L))
    val newest = of("orders", Map(0 -> 12L, 1 -> 5L)) ++ of("returns", Map(0 -> 8L))
    val metrics = SourceMetrics.ofHubs(consumed, newest, Map("returns" -> 3L))
    assert(metrics("eventsBehind") == "9" && metrics("lostEvents") == "3")
    assert(metrics("slowestHub") == "returns" && metrics("slowestPartition") == "0")
    assert(metrics("eventsBehindByHub") == """{"orders":2,"returns":7}""")
    assert(metrics("lostEventsByHub") == """{"returns":3}""")
  }
}
