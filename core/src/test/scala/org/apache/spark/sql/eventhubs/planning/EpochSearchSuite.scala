package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.connection.FakeHub
import org.apache.spark.eventhubs.{EventHubsException, TestSettings}
import testkit.TestSuite

class EpochSearchSuite extends TestSuite {

  private class Fixture(earliest: Long, latest: Long, epochs: Long*) {
    val settings = TestSettings.stream()
    val hub = new FakeHub(1)
    val partition = hub.partitions(0)
    partition.earliest = earliest
    partition.latest = latest
    partition.firstOfEpoch = epochs
    private val client = hub.connect(settings.connection)

    def continuation(position: Long, known: Int = 1): Long =
      new EpochSearch(settings, client).continuation(0, position, known, client.partitionBounds(Seq(0))(0))
  }

  test("for every start of the new epoch and every position") {
    for {
      promotedAt <- 5L to 29L
      position <- 0L to 40L
    } {
      val f = new Fixture(5, 30, 0L, promotedAt)
      val expected = if (position <= 5) position else math.min(promotedAt, math.min(position, 30L))
      assert(f.continuation(position) == expected, s"promoted at $promotedAt, position $position")
    }
  }

  test("several promotions since the position count as one") {
    assert(new Fixture(0, 200, 0L, 80L, 120L).continuation(position = 150) == 80)
    assert(new Fixture(0, 200, 0L, 80L, 120L).continuation(position = 150, known = 2) == 120)
  }

  test("a region that lags by a few events is found with a few questions") {
    val f = new Fixture(0, 10000000, 0L, 9999000L)
    assert(f.continuation(position = 9999500) == 9999000)
    assert(f.partition.epochLookups.size <= 25)
  }

  test("a question without an answer is an error, never a guess") {
    val f = new Fixture(0, 100, 0L, 40L)
    f.partition.isSilent = true
    assert(intercept[EventHubsException](f.continuation(position = 50)).getCondition == "EVENTHUBS_TIMEOUT")
  }
}
