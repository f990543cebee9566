package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.SdkFailures
import testkit.TestSuite

/** Ranges whose events expired, are missing, or belong to another generation of the hub. */
class RangeLossSuite extends TestSuite {

  test("expired events at the start: an error that names the interval") {
    val f = new RangeFixture
    f.partition.earliest = 4
    val error = f.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("fromSeqNo") == "0")
    assert(error.getMessageParameters.get("untilSeqNo") == "4")
  }

  test("with failOnDataLoss off, expired events at the start are counted and the rest is read") {
    val f = new RangeFixture(failOnDataLoss = false)
    f.partition.earliest = 4
    assert(f.read(0, 10) == (4L until 10L))
    assert(f.lost == 4)
  }

  test("with failOnDataLoss off, events that expire while a task runs are counted and the rest is read") {
    val f = new RangeFixture(failOnDataLoss = false)
    f.hub.upcoming.enqueue { link =>
      link.deliver(0, 1, 2)
      f.partition.earliest = 7
      link.complete()
    }
    assert(f.read(0, 10) == (Seq(0L, 1L, 2L) ++ (7L until 10L)))
    assert(f.lost == 4)
  }

  test("a whole range that expired: an error, or counted and empty") {
    val strict = new RangeFixture
    strict.partition.earliest = 50
    strict.partition.latest = 50
    assert(strict.failure(0, 10).getMessageParameters.get("untilSeqNo") == "10")

    val lenient = new RangeFixture(failOnDataLoss = false)
    lenient.partition.earliest = 50
    lenient.partition.latest = 50
    assert(lenient.read(0, 10).isEmpty)
    assert(lenient.lost == 10)
    assert(lenient.hub.openLinks.isEmpty, "its receiver is at another position, so it is not kept")
  }

  test("of a whole range that expired, no newer event is delivered") {
    val f = new RangeFixture(failOnDataLoss = false)
    f.partition.earliest = 50
    assert(f.read(0, 10).isEmpty)
    assert(f.lost == 10)
  }

  test("a start at the earliest event begins with the first one that comes, whatever the service answers about it") {
    for (failOnDataLoss <- Seq(true, false)) {
      val f = new RangeFixture(failOnDataLoss)
      f.startsAtEarliest = true
      f.partition.missing = (0L until 7L).toSet
      assert(f.read(0, 10) == Seq(7L, 8L, 9L))
      assert(f.lost == 0 && f.skipped == 7)
      assert(f.read(0, 5).isEmpty, "all events of this range have expired")
      assert(f.lost == 0 && f.skipped == 12)
    }
  }

  test("a gap after the first event that is retained is a loss, also in a part of a start at the earliest event") {
    val f = new RangeFixture(failOnDataLoss = false)
    f.startsAtEarliest = true
    f.partition.missing = Set(4L, 5L)
    assert(f.read(4, 10) == (6L until 10L), "events 0 to 3 are those of another part")
    assert(f.lost == 2 && f.skipped == 0)
    assert(f.read(0, 10) == (Seq(0L, 1L, 2L, 3L) ++ (6L until 10L)))
    assert(f.lost == 4 && f.skipped == 0)
  }

  test("events that expired after the query's position are a loss of that kind, also when the service's answer lags") {
    val strict = new RangeFixture
    strict.partition.missing = (0L until 7L).toSet
    val error = strict.failure(3, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("fromSeqNo") == "3" && error.getMessageParameters.get("untilSeqNo") == "7")
    val lenient = new RangeFixture(failOnDataLoss = false)
    lenient.partition.missing = (0L until 7L).toSet
    assert(lenient.read(3, 10) == Seq(7L, 8L, 9L))
    assert(lenient.lost == 4)
  }

  test("a gap inside the retained range is checked over a second link") {
    val f = new RangeFixture
    f.hub.upcoming.enqueue(_.deliver(0, 1, 5))
    assert(f.read(0, 10) == (0L until 10L))
    assert(f.hub.links.map(_.link.fromSeqNo) == Seq(0, 2))
  }

  test("a confirmed gap: an error that names it") {
    val f = new RangeFixture
    f.partition.missing = Set(4L, 5L)
    val error = f.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.GAP")
    assert(error.getMessageParameters.get("fromSeqNo") == "4")
    assert(error.getMessageParameters.get("untilSeqNo") == "6")
    assert(error.getMessage.contains("'eventhubs.compacted'"))
  }

  test("with failOnDataLoss off, each confirmed gap is counted and the rest is read") {
    val f = new RangeFixture(failOnDataLoss = false)
    f.partition.missing = Set(4L, 5L, 8L)
    assert(f.read(0, 12) == Seq(0L, 1L, 2L, 3L, 6L, 7L, 9L, 10L, 11L))
    assert(f.lost == 3)
  }

  test("a gap at the end of the range counts only what belongs to it") {
    val f = new RangeFixture(failOnDataLoss = false)
    f.partition.missing = (7L to 14L).toSet
    assert(f.read(0, 10) == (0L until 7L))
    assert(f.lost == 3)
  }

  test("events that do not exist because the hub was recreated: an error, or counted") {
    val strict = new RangeFixture
    strict.partition.latest = 3
    val error = strict.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessageParameters.get("fromSeqNo") == "3")

    val lenient = new RangeFixture(failOnDataLoss = false)
    lenient.partition.latest = 3
    assert(lenient.read(0, 10) == Seq(0L, 1L, 2L))
    assert(lenient.lost == 7)
  }

  test("a recreated hub that refuses a start after its end: an error, or counted") {
    def refusing(f: RangeFixture): RangeFixture = {
      f.partition.latest = 5
      (0 until 1000).foreach(_ => f.hub.upcoming.enqueue(_.fail(SdkFailures.beyondEnd)))
      f
    }
    val error = refusing(new RangeFixture).failure(10, 20)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessageParameters.get("fromSeqNo") == "10")

    val lenient = refusing(new RangeFixture(failOnDataLoss = false))
    assert(lenient.read(10, 20).isEmpty && lenient.lost == 10)
  }

  test("a recreated hub with events under the same numbers: an error before the first one") {
    val f = new RangeFixture
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    val error = f.failure(3, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessageParameters.get("fromSeqNo") == "3" && error.getMessageParameters.get("untilSeqNo") == "10")
    assert(error.getMessage.contains("2024-01-01T00:00:00Z") && error.getMessage.contains("2024-01-01T00:01:00Z"))
  }

  test(
    "with failOnDataLoss off, no event of a recreated hub is read, the range is counted and the link is closed"
  ) {
    val f = new RangeFixture(failOnDataLoss = false)
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    assert(f.read(3, 10).isEmpty && f.read(3, 4).isEmpty)
    assert(f.lost == 8)
    assert(f.hub.openLinks.isEmpty)
  }

  test("a recreated hub without such events yet: an error that names both generations") {
    val f = new RangeFixture
    f.partition.latest = 5
    f.hub.upcoming.enqueue { _ => f.hub.createdAt = f.hub.createdAt.plusSeconds(60) }
    assert(f.failure(0, 10).getMessage.contains("2024-01-01T00:01:00Z"))
  }

  test(
    "a hub recreated in the middle of a range: received events are kept, and none of the new hub is read"
  ) {
    val f = new RangeFixture(failOnDataLoss = false)
    f.hub.upcoming.enqueue(_.deliver(0, 1, 2))
    val events = f.iterator(0, 10).map(_.sequenceNumber)
    assert(events.next() == 0)
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    f.hub.links.head.fail(SdkFailures.notFound)
    assert(events.toSeq == Seq(1, 2))
    assert(f.lost == 7)
  }

  test("a new link asks for its hub's generation, unless its first event is no younger than a verified one") {
    val f = new RangeFixture
    def asked(from: Long): Int = {
      val before = f.hub.propertiesCalls
      assert(f.read(from, from + 10) == (from until from + 10))
      f.hub.propertiesCalls - before
    }
    assert(asked(500) == 1)
    assert(asked(0) == 0 && asked(300) == 0)
    assert(asked(700) == 1)
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    assert(intercept[EventHubsException](f.read(800, 810)).getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
  }
}
