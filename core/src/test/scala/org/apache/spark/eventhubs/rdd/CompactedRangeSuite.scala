package org.apache.spark.eventhubs.rdd

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.LinkDrain
import testkit.TestSuite

/** Ranges of compacted hubs: gaps, missing ends, expired events, and what the service is asked. */
class CompactedRangeSuite extends TestSuite {

  // A fixed credit, because a link is opened again when its credit does not fit the size of the events.
  private val compacted = Seq("eventhubs.compacted" -> "true", "eventhubs.prefetchCount" -> "1000")

  test("gaps of a compacted hub are no loss and cost nothing: one link, no question") {
    val f = new RangeFixture(options = compacted)
    f.partition.missing = (1L until 1000L by 2).toSet
    assert(f.read(0, 900) == (0L until 900L by 2))
    assert(f.lost == 0 && f.hub.links.size == 1)
    // The clock moves whenever it is looked at. Expired events are asked for every 10 s, not for each of 450 gaps.
    assert(f.hub.boundsCalls <= f.clock.getTimeMillis() / 10000)
    assert(f.hub.links.head.drains == 0, "event 899 is missing, and event 900 came")
  }

  test("a gap at the start of a compacted range costs one question: the events may have expired") {
    val f = new RangeFixture(options = compacted)
    f.partition.missing = (0L until 7L).toSet
    assert(f.read(0, 10) == Seq(7L, 8L, 9L))
    assert(f.lost == 0 && f.hub.links.size == 1 && f.hub.boundsCalls == 1)
  }

  test("expired events of a compacted hub are a loss, apart from the gap after them") {
    def expired(failOnDataLoss: Boolean): RangeFixture = {
      val f = new RangeFixture(failOnDataLoss, compacted)
      f.partition.earliest = 4
      f.partition.missing = (4L until 7L).toSet
      f
    }
    val error = expired(failOnDataLoss = true).failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("untilSeqNo") == "4")
    val lenient = expired(failOnDataLoss = false)
    assert(lenient.read(0, 10) == Seq(7L, 8L, 9L) && lenient.lost == 4)
  }

  test("a recreated compacted hub is noticed, with events under the numbers of the range and without") {
    val same = new RangeFixture(options = compacted)
    same.partition.missing = Set(3L)
    same.hub.createdAt = same.hub.createdAt.plusSeconds(60)
    assert(same.failure(3, 10).getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    val shorter = new RangeFixture(options = compacted)
    shorter.partition.latest = 3
    assert(shorter.failure(0, 10).getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
  }

  test("the last events of a compacted hub may be gone: the service says so, and the link serves the next range") {
    val f = new RangeFixture(options = compacted)
    f.partition.latest = 100
    f.partition.missing = (95L until 100L).toSet
    assert(f.read(0, 100) == (0L until 95L))
    assert(f.lost == 0 && f.hub.links.size == 1 && f.hub.links.head.drains == 2)
    assert(f.clock.getTimeMillis() < f.settings.connection.operationTimeout.toMillis / 2)
    f.context.markTaskCompleted(None)
    f.context = TaskContext.empty()
    f.partition.latest = 103
    assert(f.read(100, 103) == Seq(100L, 101L, 102L) && f.hub.links.size == 1)
  }

  test("a missing tail is not passed while the service answers with fewer events than were planned") {
    val f = new RangeFixture(options = compacted)
    f.partition.latest = 50
    f.partition.missing = (46L until 50L).toSet
    val error = f.failure(0, 100)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessageParameters.get("fromSeqNo") == "46")
  }

  test("events that expire while short ranges are read are noticed, also without a new link") {
    val f = new RangeFixture(failOnDataLoss = false, compacted)
    f.partition.latest = 10
    assert(f.read(0, 10).size == 10)
    f.context.markTaskCompleted(None)
    f.context = TaskContext.empty()
    // Longer than an answer about the retained events counts.
    while (f.clock.getTimeMillis() < 20000) ()
    f.partition.earliest = 40
    f.partition.latest = 60
    f.hub.links.head.serve()
    assert(f.read(10, 60) == (40L until 60L) && f.hub.links.size == 1)
    assert(f.lost == 30)
  }

  test("a compacted hub may have none of the events of a range, at its end or before other events") {
    val atEnd = new RangeFixture(options = compacted)
    atEnd.partition.latest = 100
    atEnd.partition.missing = (90L until 100L).toSet
    assert(atEnd.read(90, 100).isEmpty && atEnd.hub.links.size == 1 && atEnd.lost == 0)
    val before = new RangeFixture(options = compacted)
    before.partition.missing = (90L until 120L).toSet
    assert(before.read(90, 100).isEmpty && before.read(100, 110).isEmpty && before.lost == 0)
    assert(before.read(110, 122) == Seq(120L, 121L), "the event that ended two ranges is not lost")
    assert(before.hub.links.size == 1)
  }

  test("one answer that no event follows is not believed: the event that comes after it is read") {
    for (late <- Seq(Set(8L, 9L), Set(9L))) {
      val f = new RangeFixture(options = compacted)
      f.partition.latest = 10
      f.partition.missing = late
      f.hub.upcoming.enqueue { link =>
        link.onAsked = _.serve()
        // A replica without the last events. It has them when the service is asked again.
        link.onDrain = request => {
          link.answer(request)
          link.onDrain = request => {
            late.toSeq.sorted.foreach(link.deliver(_))
            link.answer(request)
          }
        }
        link.serve()
      }
      assert(f.read(0, 10) == (0L until 10L) && f.lost == 0 && f.hub.links.size == 1)
    }
  }

  test("a service that does not answer the question is listened to, over a link that is not asked") {
    val f = new RangeFixture(options = compacted)
    f.partition.latest = 10
    f.partition.missing = Set(9L)
    (0 until 1000).foreach(_ => f.hub.upcoming.enqueue { link => link.onDrain = _ => (); link.serve() })
    assert(f.read(0, 10) == (0L until 9L) && f.lost == 0)
    // The third link begins at the beginning of the partition and shows that it delivers.
    assert(f.hub.links.map(_.drains) == Seq(1, 0, 0, 0))
    val listened = LinkDrain.answerWithin(f.settings.connection.operationTimeout)
      .plus(LinkDrain.listenFor(f.settings.connection.operationTimeout))
    assert(f.clock.getTimeMillis() >= listened.toMillis)
  }

  test("a partition that is down is not taken for one without more events, when the service does not answer either") {
    val f = new RangeFixture(options = compacted)
    f.partition.latest = 10
    (0 until 1000).foreach(_ => f.hub.upcoming.enqueue(link => link.onDrain = _ => ()))
    assert(intercept[EventHubsException](f.read(0, 10)).getCondition == "EVENTHUBS_TIMEOUT")
    assert(f.lost == 0)
  }

  test("an event that comes while a service without answers is listened to is read") {
    val f = new RangeFixture(options = compacted)
    f.partition.latest = 10
    f.partition.missing = Set(8L, 9L)
    (0 until 1000).foreach(_ =>
      f.hub.upcoming.enqueue { link =>
        link.onDrain = _ => ()
        link.serve()
        // The second link finds an event that the first one has not brought.
        if (f.hub.links.size == 1) f.partition.missing = Set(9L)
      }
    )
    assert(f.read(0, 10) == (0L until 9L) && f.lost == 0)
  }

  test("a slow service that sends an event now and then, and no answer, keeps the link that it is not asked over") {
    val f = new RangeFixture(options = compacted)
    f.partition.latest = 5
    var next = 0L
    (0 until 3).foreach(_ =>
      f.hub.upcoming.enqueue { link =>
        def deliverOne(): Unit = if (next < 5) {
          next += 1
          link.deliver(next - 1)
        }
        link.onAsked = _ => ()
        link.onDrain = _ => deliverOne()
        f.hub.onQuestion = () => deliverOne()
      }
    )
    assert(f.read(0, 5) == (0L until 5L))
    assert(f.hub.links.map(_.drains) == Seq(1, 0))
  }

  test("an answer to a question of an earlier range says nothing about the next one") {
    val f = new RangeFixture(options = compacted)
    f.partition.latest = 10
    f.partition.missing = Set(9L)
    var late = Option.empty[LinkDrain]
    f.hub.upcoming.enqueue { link =>
      link.onAsked = _.serve()
      // Event 10 arrives instead of an answer.
      link.onDrain = request => {
        late = Some(request)
        f.partition.latest = 11
        link.serve()
      }
      link.serve()
    }
    assert(f.read(0, 10) == (0L until 9L))
    f.context.markTaskCompleted(None)
    f.context = TaskContext.empty()
    val link = f.hub.links.head
    link.onAsked = _ => ()
    f.partition.latest = 13
    val events = f.iterator(10, 13)
    link.onDrain = request => { link.serve(); link.answer(request) }
    link.answer(late.get)
    assert(events.map(_.sequenceNumber).toList == Seq(10L, 11L, 12L))
    assert(f.hub.links.size == 1)
  }
}
