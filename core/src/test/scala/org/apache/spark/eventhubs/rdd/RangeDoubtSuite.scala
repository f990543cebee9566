package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.amqp.FakeMessage
import org.apache.spark.eventhubs.generation.HubGeneration
import testkit.TestSuite

/** What is a loss of a range's events, and what only looks like one. */
class RangeDoubtSuite extends TestSuite {

  test("events that expire before the first read of a start 'earliest' are counted, but not lost") {
    val f = new RangeFixture
    f.startsAtEarliest = true
    f.partition.earliest = 4
    assert(f.read(0, 10) == (4L until 10L))
    assert(f.skipped == 4 && f.lost == 0)
  }

  test("a whole range of a start 'earliest' that expired before its first read is empty") {
    val f = new RangeFixture
    f.startsAtEarliest = true
    f.partition.earliest = 50
    f.partition.latest = 50
    assert(f.read(0, 10).isEmpty)
    assert(f.skipped == 10 && f.lost == 0)
  }

  test("events that expire after the first read of a start 'earliest' are lost") {
    val f = new RangeFixture
    f.startsAtEarliest = true
    f.partition.earliest = 2
    f.hub.upcoming.enqueue { link =>
      link.deliver(2, 3)
      f.partition.earliest = 7
      link.complete()
    }
    val error = f.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("fromSeqNo") == "4" && error.getMessageParameters.get("untilSeqNo") == "7")
    assert(f.skipped == 2)
  }

  test("of missing events only those before the first retained one have expired; a gap follows them") {
    val f = new RangeFixture(failOnDataLoss = false)
    f.partition.earliest = 4
    f.partition.missing = Set(4L, 5L)
    val error = intercept[EventHubsException] {
      val strict = new RangeFixture
      strict.partition.earliest = 4
      strict.partition.missing = Set(4L, 5L)
      strict.startsAtEarliest = true
      strict.read(0, 10)
    }
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.GAP" && error.getMessageParameters.get("fromSeqNo") == "4")
    assert(f.read(0, 10) == (6L until 10L))
    assert(f.lost == 6)
  }

  test("a single answer that lacks the planned events is no loss") {
    val f = new RangeFixture
    f.hub.upcoming.enqueue { link =>
      link.deliver(0, 1, 2)
      f.partition.lowAnswers += 2
    }
    assert(f.read(0, 10) == (0L until 10L))
    assert(f.hub.links.map(_.link.fromSeqNo) == Seq(0, 3))
  }

  test("an event of an epoch that was not planned: an error before it, or the rest of the range is lost") {
    def promoted(f: RangeFixture): RangeFixture = {
      f.generation = HubGeneration.of(HubGeneration.CreatedAt(f.hub.createdAt), Map(0 -> 1))
      f.partition.firstOfEpoch = Seq(0L, 6L)
      f.partition.message = (seqNo, body) => FakeMessage.ofEpoch(f.partition.epochOf(seqNo), seqNo, body)
      f
    }
    val error = promoted(new RangeFixture).failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER")
    assert(error.getMessageParameters.get("fromSeqNo") == "6" && error.getMessageParameters.get("untilSeqNo") == "10")
    val lenient = promoted(new RangeFixture(failOnDataLoss = false))
    assert(lenient.read(0, 10) == (0L until 6L))
    assert(lenient.lost == 4)
  }

  test("a promoted region that ends before the planned events: an error without waiting") {
    val f = new RangeFixture
    f.generation = HubGeneration.of(HubGeneration.CreatedAt(f.hub.createdAt), Map(0 -> 1))
    f.partition.firstOfEpoch = Seq(0L, 2L)
    f.partition.latest = 3
    val error = f.failure(3, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER")
    assert(f.hub.boundsCalls == 1)
  }
}
