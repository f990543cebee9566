package org.apache.spark.eventhubs.generation

import org.apache.spark.eventhubs.TestSettings

import java.time.Instant

import org.scalatest.funsuite.AnyFunSuite


class VerifiedGenerationsSuite extends AnyFunSuite {

  private val connection = TestSettings.stream().connection
  private val created = Instant.parse("2024-01-01T00:00:00Z")

  test("it covers events up to the youngest that was there when the service was asked, of that hub only") {
    val hubs = new VerifiedGenerations
    assert(!hubs.cover(connection, created, 0))
    hubs.confirm(connection, created, 1000)
    hubs.confirm(connection, created, 900)
    assert(hubs.cover(connection, created, 1000) && !hubs.cover(connection, created, 1001))
    assert(!hubs.cover(connection, created.plusMillis(1), 1000))
    val other = TestSettings.ofHub("alerts").connection
    assert(!hubs.cover(other, created, 1000))
  }

  test("it forgets hubs that were not asked about for long, and does not grow without end") {
    val hubs = new VerifiedGenerations
    def hub(i: Int) = created.plusSeconds(i.toLong)
    (0 until 150).foreach { i =>
      hubs.confirm(connection, hub(i), 1000)
      hubs.confirm(connection, hub(0), 1000L + i)
    }
    assert(!hubs.cover(connection, hub(1), 1000))
    assert(hubs.cover(connection, hub(149), 1000) && hubs.cover(connection, hub(0), 1100))
  }
}
