package org.apache.spark.eventhubs.executor

import java.time.Instant

import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.eventhubs.generation.HubGeneration
import testkit.TestSuite

class VerifiedGenerationsSuite extends TestSuite {

  private val connection = TestSettings.stream().connection
  private val noon = Instant.parse("2024-01-01T12:00:00Z")

  private def generation(seconds: Int) = HubGeneration.CreatedAt(noon.plusSeconds(seconds.toLong))

  test(
    "events up to the youngest one that had arrived when the service was asked are covered, of that generation only"
  ) {
    val hubs = new VerifiedGenerations
    assert(!hubs.covers(connection, generation(0), 0))
    hubs.add(connection, generation(0), 1000)
    hubs.add(connection, generation(0), 900)
    assert(hubs.covers(connection, generation(0), 1000) && !hubs.covers(connection, generation(0), 1001))
    assert(!hubs.covers(connection, generation(1), 1000))
    val other = TestSettings.ofHub("alerts").connection
    assert(!hubs.covers(other, generation(0), 1000))
  }

  test("the hubs that were not verified for longest are evicted") {
    val hubs = new VerifiedGenerations
    (0 until 150).foreach { i =>
      hubs.add(connection, generation(i), 1000)
      hubs.add(connection, generation(0), 1000L + i)
    }
    assert(!hubs.covers(connection, generation(1), 1000))
    assert(hubs.covers(connection, generation(149), 1000) && hubs.covers(connection, generation(0), 1100))
  }
}
