package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.connection.FakeHub
import org.apache.spark.eventhubs.{EventHubsException, TestSettings}
import testkit.TestSuite

class EpochSearchSuite extends TestSuite {

  private class Fixture(earliest: Long, latest: Long, epochs: Seq[Long], more: (String, String)*) {
    val settings = TestSettings.stream(more: _*)
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
      val f = new Fixture(5, 30, Seq(0L, promotedAt))
      val expected = if (position <= 5) position else math.min(promotedAt, math.min(position, 30L))
      assert(f.continuation(position) == expected, s"promoted at $promotedAt, position $position")
    }
  }

  test("several promotions since the position count as one") {
    assert(new Fixture(0, 200, Seq(0L, 80L, 120L)).continuation(position = 150) == 80)
    assert(new Fixture(0, 200, Seq(0L, 80L, 120L)).continuation(position = 150, known = 2) == 120)
  }

  test("a region that lags by a few events is found with a few questions") {
    val f = new Fixture(0, 10000000, Seq(0L, 9999000L))
    assert(f.continuation(position = 9999500) == 9999000)
    assert(f.partition.epochLookups.size <= 25)
  }

  test("a question without an answer is an error, never a guess") {
    val f = new Fixture(0, 100, Seq(0L, 40L))
    f.partition.isSilent = true
    assert(intercept[EventHubsException](f.continuation(position = 50)).getCondition == "EVENTHUBS_TIMEOUT")
  }

  test("a compacted hub, whatever events it lacks: no event of the new epoch is skipped, and no older one repeated") {
    for {
      promotedAt <- Seq(5L, 12L, 20L, 29L)
      position <- Seq(6L, 13L, 20L, 30L, 40L)
      missing <- Seq[Set[Long]](
        Set(29),
        (20L until 30L).toSet,
        (10L until 25L).toSet,
        (5L until 30L by 2).toSet,
        (6L until 30L by 2).toSet,
        (6L until 30L).toSet,
        (5L until 30L).toSet
      )
    } {
      val f = new Fixture(5, 30, Seq(0L, promotedAt), "eventhubs.compacted" -> "true")
      f.partition.missing = missing
      val found = f.continuation(position)
      val (events, end) = ((5L until 30L).filterNot(missing), math.min(position, 30L))
      val wanted = events.filter(seqNo => seqNo >= promotedAt || seqNo >= end)
      assert(found <= end && events.filter(_ >= found) == wanted, s"promoted at $promotedAt, $position, $missing")
    }
  }

  test("only a compacted hub is asked whether an event follows") {
    val f = new Fixture(0, 100, Seq(0L, 40L))
    f.partition.missing = Set(99L)
    assert(intercept[EventHubsException](f.continuation(position = 50)).getCondition == "EVENTHUBS_TIMEOUT")
  }
}
