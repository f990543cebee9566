package org.apache.spark.sql.eventhubs.metrics

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

class SourceMetricsSuite extends AnyFunSuite {

  private def metrics(consumed: Map[Int, Long], newest: Map[Int, Long], lost: Long = 0): Map[String, String] =
    SourceMetrics(EventHubsSourceOffset("hub", consumed), EventHubsSourceOffset("hub", newest), "hub", lost)

  test("they say how far behind the partitions are, and which one most") {
    assert(metrics(Map(0 -> 10L, 1 -> 5L, 2 -> 7L), Map(0 -> 12L, 1 -> 11L, 2 -> 8L), lost = 4) == Map(
      "eventsBehind" -> "9",
      "minEventsBehind" -> "1",
      "maxEventsBehind" -> "6",
      "avgEventsBehind" -> "3.0",
      "slowestPartition" -> "1",
      "lostEvents" -> "4"
    ))
  }

  test("a partition that was added counts with all that it has") {
    assert(metrics(Map(0 -> 10L), Map(0 -> 10L, 1 -> 8L))("eventsBehind") == "8")
  }

  test("a hub that became smaller is not behind by less than nothing") {
    assert(metrics(Map(0 -> 10L), Map(0 -> 3L))("eventsBehind") == "0")
  }

  test("without partitions only the lost events are told") {
    assert(metrics(Map.empty, Map.empty, lost = 2) == Map("lostEvents" -> "2"))
  }
}
