package org.apache.spark.sql.eventhubs

import java.util.UUID

import scala.jdk.CollectionConverters._

import com.codahale.metrics.MetricRegistry

import testkit.TestSuite

class StreamGaugesSuite extends TestSuite {

  private class Fixture {
    val registry = new MetricRegistry
    var millis = 0L
    val gauges = new StreamGauges(registry, () => millis)
    val id: UUID = UUID.randomUUID()
    val run: UUID = UUID.randomUUID()

    def reported(metrics: (String, String)*): Unit = gauges.reported(id, run, Some("hot"), Map(0 -> metrics.toMap))

    def shown: Map[String, Any] =
      registry.getGauges.asScala.map { case (name, gauge) => name -> gauge.getValue }.toMap
  }

  test("numbers of each source are gauges; JSON and names of hubs are not") {
    new Fixture {
      gauges.reported(
        id,
        run,
        Some("hot"),
        Map(
          0 -> Map("eventsBehind" -> "7", "secondsBehind" -> """{"0":1.5}""", "slowestHub" -> "42"),
          2 -> Map("x" -> "0.5")
        )
      )
      assert(shown == Map("hot.source0.eventsBehind" -> 7.0, "hot.source2.x" -> 0.5, "hot.secondsSinceReport" -> 0.0))
    }
  }

  test("the last report counts, and a metric that it lacks is not known") {
    new Fixture {
      reported("eventsBehind" -> "7", "maxSecondsBehind" -> "3")
      reported("eventsBehind" -> "9")
      assert(shown("hot.source0.eventsBehind") == 9.0)
      assert(shown("hot.source0.maxSecondsBehind").asInstanceOf[Double].isNaN)
    }
  }

  test("the time since the last report grows, also of a query that is idle, until it says so") {
    new Fixture {
      reported("eventsBehind" -> "7")
      millis = 2500
      assert(shown("hot.secondsSinceReport") == 2.5)
      gauges.idle(run)
      assert(shown("hot.secondsSinceReport") == 0.0)
      assert(shown("hot.source0.eventsBehind") == 7.0)
    }
  }

  test("gauges go with their run, and with nothing else") {
    new Fixture {
      val newer: UUID = UUID.randomUUID()
      reported("eventsBehind" -> "7")
      gauges.reported(UUID.randomUUID(), UUID.randomUUID(), Some("hot.too"), Map(0 -> Map("eventsBehind" -> "8")))
      gauges.reported(id, newer, Some("hot"), Map(0 -> Map("eventsBehind" -> "1")))
      gauges.ended(run)
      assert(shown("hot.source0.eventsBehind") == 1.0)
      gauges.ended(newer)
      assert(shown.keySet == Set("hot.too.source0.eventsBehind", "hot.too.secondsSinceReport"))
    }
  }

  test("queries of one name in two sessions have gauges of their own, and each goes with its query") {
    new Fixture {
      val other: UUID = UUID.fromString("0badcafe-0000-4000-8000-000000000000")
      val otherRun: UUID = UUID.randomUUID()
      reported("eventsBehind" -> "7")
      gauges.reported(other, otherRun, Some("hot"), Map(0 -> Map("eventsBehind" -> "8")))
      assert(shown("hot.source0.eventsBehind") == 7.0)
      assert(shown("hot_0badcafe.source0.eventsBehind") == 8.0)
      gauges.ended(run)
      assert(shown.keySet == Set("hot_0badcafe.source0.eventsBehind", "hot_0badcafe.secondsSinceReport"))
      gauges.ended(otherRun)
      assert(shown.isEmpty)
    }
  }

  test("a query that is idle since its start has reported; one that reads no event hub has no gauge") {
    new Fixture {
      gauges.started(id, run, Some("hot"))
      gauges.started(UUID.randomUUID(), UUID.randomUUID(), Some("of files"))
      gauges.idle(run)
      assert(shown.isEmpty)
      gauges.opened(id)
      millis = 2500
      assert(shown == Map("hot.secondsSinceReport" -> 2.5))
      gauges.idle(run)
      assert(shown == Map("hot.secondsSinceReport" -> 0.0))
      reported("eventsBehind" -> "7")
      // Its second source.
      gauges.opened(id)
      assert(shown("hot.source0.eventsBehind") == 7.0)
      gauges.ended(run)
      assert(shown.isEmpty)
    }
  }
}
