package org.apache.spark.eventhubs.rdd

import java.time.Instant

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.amqp.FakeMessage
import org.apache.spark.eventhubs.connection.PartitionBounds
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

  test("the first event that comes is the first retained one, also when the service answers that it has an older one") {
    def missing(failOnDataLoss: Boolean): RangeFixture = {
      val f = new RangeFixture(failOnDataLoss)
      f.partition.earliest = 4
      f.partition.missing = Set(4L, 5L)
      f
    }
    val atEarliest = missing(failOnDataLoss = true)
    atEarliest.startsAtEarliest = true
    assert(atEarliest.read(0, 10) == (6L until 10L))
    assert(atEarliest.skipped == 6 && atEarliest.lost == 0)
    val error = missing(failOnDataLoss = true).failure(4, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED" && error.getMessageParameters.get("fromSeqNo") == "4")
    val lenient = missing(failOnDataLoss = false)
    assert(lenient.read(0, 10) == (6L until 10L))
    assert(lenient.lost == 6)
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

  /** Partition 0 of a hub that was planned in epoch 1 and has events of epoch 2 from 6 on. */
  private def promoted(f: RangeFixture, eventEpoch: Int => Int = identity): RangeFixture = {
    f.generation = HubGeneration.of(HubGeneration.CreatedAt(f.hub.createdAt), Map(0 -> 1))
    f.partition.firstOfEpoch = Seq(0L, 6L)
    f.partition.message =
      (seqNo, body) => FakeMessage.ofEpoch(eventEpoch(f.partition.epochOf(seqNo)), seqNo, body)
    f
  }

  private def assertEndsAtEpoch(f: RangeFixture): EventHubsException = {
    val error = f.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER")
    assert(error.getMessageParameters.get("fromSeqNo") == "6" && error.getMessageParameters.get("untilSeqNo") == "10")
    error
  }

  test("an event of an epoch that was not planned: an error before it, or the rest of the range is lost") {
    assertEndsAtEpoch(promoted(new RangeFixture))
    val lenient = promoted(new RangeFixture(failOnDataLoss = false))
    assert(lenient.read(0, 10) == (0L until 6L))
    assert(lenient.lost == 4)
  }

  test("the last event of a range is one that was read, not the event of a later epoch that ended it") {
    val whole = (new RangeFixture).iterator(0, 10)
    assert(whole.size == 10 && whole.report.lastEvent.map(_.seqNo).contains(9L))
    val ended = promoted(new RangeFixture(failOnDataLoss = false)).iterator(0, 10)
    assert(ended.size == 6 && ended.report.lastEvent.isEmpty)
  }

  test("an answer that is older than the event of a later epoch does not decide") {
    val ended = promoted(new RangeFixture)
    ended.partition.lowAnswers ++= Seq(5L, 6L)
    assertEndsAtEpoch(ended)
    assert(ended.hub.boundsCalls == 3)
    val ofOldRegion = promoted(new RangeFixture)
    // Event 6 of a fake hub was enqueued at 6 ms.
    ofOldRegion.partition.staleAnswers ++=
      Seq(10L, 1000L).map(PartitionBounds(0, _, "x", Instant.ofEpochMilli(5), Some(1)))
    assertEndsAtEpoch(ofOldRegion)
    assert(ofOldRegion.hub.boundsCalls == 3)
  }

  test("answers that lack the event of a later epoch for seconds: the event decides") {
    val f = promoted(new RangeFixture)
    f.partition.lowAnswers ++= Seq.fill(100)(6L)
    assert(assertEndsAtEpoch(f).getMessage.contains("planned for epoch 1, but this is epoch 2"))
    assert(f.clock.getTimeMillis() >= 10000 && f.partition.lowAnswers.nonEmpty)
  }

  test("events that have other epochs than the answers are read, and cost one question") {
    val f = promoted(new RangeFixture, eventEpoch = _ => 7)
    f.partition.firstOfEpoch = Seq(0L)
    assert(f.read(0, 10) == (0L until 10L))
    assert(f.hub.boundsCalls == 1)
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

  test("a promoted region without a new event that ends before the planned events is no recreated hub") {
    for (options <- Seq(Nil, Seq("eventhubs.compacted" -> "true"))) {
      val f = new RangeFixture(options = options)
      f.generation = HubGeneration.of(HubGeneration.CreatedAt(f.hub.createdAt), Map(0 -> 1))
      f.partition.firstOfEpoch = Seq(0L)
      f.partition.latest = 3
      val error = f.failure(3, 10)
      assert(error.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER")
      assert(f.clock.getTimeMillis() >= 10000, "several answers over some time have no later epoch")
    }
  }
}
