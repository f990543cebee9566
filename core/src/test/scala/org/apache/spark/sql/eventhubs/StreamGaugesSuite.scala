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
    val run: UUID = UUID.randomUUID()

    def shown: Map[String, Any] =
      registry.getGauges.asScala.map { case (name, gauge) => name -> gauge.getValue }.toMap
  }

  test("numbers of each source are gauges; JSON and names of hubs are not") {
    new Fixture {
      gauges.reported(
        "hot",
        run,
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
      gauges.reported("hot", run, Map(0 -> Map("eventsBehind" -> "7", "maxSecondsBehind" -> "3")))
      gauges.reported("hot", run, Map(0 -> Map("eventsBehind" -> "9")))
      assert(shown("hot.source0.eventsBehind") == 9.0)
      assert(shown("hot.source0.maxSecondsBehind").asInstanceOf[Double].isNaN)
    }
  }

  test("the time since the last report grows, also of a query that is idle, until it says so") {
    new Fixture {
      gauges.reported("hot", run, Map(0 -> Map("eventsBehind" -> "7")))
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
      gauges.reported("hot", run, Map(0 -> Map("eventsBehind" -> "7")))
      gauges.reported("hot.too", UUID.randomUUID(), Map(0 -> Map("eventsBehind" -> "8")))
      gauges.reported("hot", newer, Map(0 -> Map("eventsBehind" -> "1")))
      gauges.ended(run)
      assert(shown("hot.source0.eventsBehind") == 1.0)
      gauges.ended(newer)
      assert(shown.keySet == Set("hot.too.source0.eventsBehind", "hot.too.secondsSinceReport"))
    }
  }
}
