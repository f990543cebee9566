package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.connection.{FakeHub, FakeLink, SdkFailures}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.{EventHubsException, NameAndPartition, TestSettings}
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.{TaskContext, TaskContextImpl}
import testkit.TestSuite

class EventRangeIteratorSuite extends TestSuite {

  private class Fixture(failOnDataLoss: Boolean = true, options: Seq[(String, String)] = Nil) {
    val hub = new FakeHub(1)
    val partition = hub.partitions(0)
    partition.latest = 1000
    val clock = new TickingClock
    val resources = new ExecutorResources(hub.connect, _ => throw new AssertionError("nothing is written"), clock)
    val settings = TestSettings.stream(options :+ ("failOnDataLoss" -> failOnDataLoss.toString): _*)
    var context: TaskContextImpl = TaskContext.empty()
    var lost = 0L

    def iterator(from: Long, until: Long, reuse: Boolean = true): EventRangeIterator = new EventRangeIterator(
      OffsetRange(NameAndPartition("telemetry", 0), from, until),
      settings,
      resources,
      context,
      reuse,
      TestSettings.generation,
      lost += _
    )

    def read(from: Long, until: Long): Seq[Long] = iterator(from, until).map(_.sequenceNumber).toList

    def failure(from: Long, until: Long): EventHubsException = {
      val error = intercept[EventHubsException](read(from, until))
      context.markTaskCompleted(Some(error))
      assert(hub.openLinks.isEmpty, "a failed task leaves no link")
      error
    }
  }

  test("a range has each of its events once, in order") {
    val f = new Fixture
    assert(f.read(3, 503) == (3L until 503L))
    assert(f.lost == 0)
  }

  test("repeated calls of hasNext skip no event") {
    val f = new Fixture
    val events = f.iterator(0, 2)
    assert(events.hasNext && events.hasNext)
    assert(events.next().sequenceNumber == 0)
    assert(events.next().sequenceNumber == 1)
    assert(!events.hasNext && !events.hasNext)
    assertThrows[NoSuchElementException](events.next())
  }

  test("at the end of a range the receiver is kept for the next one") {
    val f = new Fixture(options = Seq("eventhubs.prefetchCount" -> "100"))
    f.read(0, 10)
    f.context.markTaskCompleted(None)
    assert(f.resources.receivers.size == 1)
    f.context = TaskContext.empty()
    f.read(10, 20)
    assert(f.hub.links.size == 1)
  }

  test("a batch read keeps no receiver") {
    val f = new Fixture
    assert(f.iterator(0, 10, reuse = false).size == 10)
    assert(f.resources.receivers.size == 0)
    assert(f.hub.openLinks.isEmpty)
  }

  test("a task that ends in the middle of its range closes its receiver") {
    val f = new Fixture
    assert(f.iterator(0, 100).take(5).map(_.sequenceNumber).toList == (0L until 5L))
    f.context.markTaskCompleted(None)
    assert(f.resources.receivers.size == 0)
    assert(f.hub.openLinks.isEmpty)
  }

  test("a killed task closes its receiver") {
    val f = new Fixture
    f.partition.latest = 5
    f.context.markInterrupted("killed")
    assertThrows[InterruptedException](f.read(0, 10))
    f.context.markTaskCompleted(None)
    assert(f.hub.openLinks.isEmpty)
  }

  test("a task that fails while it starts closes its link") {
    val f = new Fixture
    f.hub.upcoming.enqueue(_ => throw new IllegalStateException("refused by the test"))
    assertThrows[IllegalStateException](f.iterator(0, 10))
    f.context.markTaskCompleted(None)
    assert(f.hub.links.size == 1 && f.hub.openLinks.isEmpty)
  }

  test("a link that fails in the middle of a range is replaced without a gap") {
    val f = new Fixture
    f.hub.upcoming.enqueue { link => link.deliver(0, 1, 2); link.fail(SdkFailures.detached) }
    f.hub.upcoming.enqueue { link => link.deliver(3, 4); link.complete() }
    assert(f.read(0, 10) == (0L until 10L))
  }

  test("expired events at the start: an error that names the interval") {
    val f = new Fixture
    f.partition.earliest = 4
    val error = f.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("fromSeqNo") == "0")
    assert(error.getMessageParameters.get("untilSeqNo") == "4")
  }

  test("with failOnDataLoss off, expired events at the start are counted and the rest is read") {
    val f = new Fixture(failOnDataLoss = false)
    f.partition.earliest = 4
    assert(f.read(0, 10) == (4L until 10L))
    assert(f.lost == 4)
  }

  test("with failOnDataLoss off, events that expire while a task runs are counted and the rest is read") {
    val f = new Fixture(failOnDataLoss = false)
    f.hub.upcoming.enqueue { link =>
      link.deliver(0, 1, 2)
      f.partition.earliest = 7
      link.complete()
    }
    assert(f.read(0, 10) == (Seq(0L, 1L, 2L) ++ (7L until 10L)))
    assert(f.lost == 4)
  }

  test("a whole range that expired: an error, or counted and empty") {
    val strict = new Fixture
    strict.partition.earliest = 50
    strict.partition.latest = 50
    assert(strict.failure(0, 10).getMessageParameters.get("untilSeqNo") == "10")

    val lenient = new Fixture(failOnDataLoss = false)
    lenient.partition.earliest = 50
    lenient.partition.latest = 50
    assert(lenient.read(0, 10).isEmpty)
    assert(lenient.lost == 10)
    assert(lenient.hub.openLinks.isEmpty, "its receiver is at another position, so it is not kept")
  }

  test("of a whole range that expired, no newer event is delivered") {
    val f = new Fixture(failOnDataLoss = false)
    f.partition.earliest = 50
    assert(f.read(0, 10).isEmpty)
    assert(f.lost == 10)
  }

  test("a gap inside the retained range is checked over a second link") {
    val f = new Fixture
    f.hub.upcoming.enqueue(_.deliver(0, 1, 5))
    assert(f.read(0, 10) == (0L until 10L))
    assert(f.hub.links.map(_.link.fromSeqNo) == Seq(0, 2))
  }

  test("a confirmed gap: an error that names it") {
    val f = new Fixture
    f.partition.missing = Set(4L, 5L)
    val error = f.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.GAP")
    assert(error.getMessageParameters.get("fromSeqNo") == "4")
    assert(error.getMessageParameters.get("untilSeqNo") == "6")
  }

  test("with failOnDataLoss off, each confirmed gap is counted and the rest is read") {
    val f = new Fixture(failOnDataLoss = false)
    f.partition.missing = Set(4L, 5L, 8L)
    assert(f.read(0, 12) == Seq(0L, 1L, 2L, 3L, 6L, 7L, 9L, 10L, 11L))
    assert(f.lost == 3)
  }

  test("a gap at the end of the range counts only what belongs to it") {
    val f = new Fixture(failOnDataLoss = false)
    f.partition.missing = (7L to 14L).toSet
    assert(f.read(0, 10) == (0L until 7L))
    assert(f.lost == 3)
  }

  test("events that do not exist because the hub was recreated: an error, or counted") {
    val strict = new Fixture
    strict.partition.latest = 3
    val error = strict.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessageParameters.get("fromSeqNo") == "3")

    val lenient = new Fixture(failOnDataLoss = false)
    lenient.partition.latest = 3
    assert(lenient.read(0, 10) == Seq(0L, 1L, 2L))
    assert(lenient.lost == 7)
  }

  test("a recreated hub that refuses a start after its end: an error, or counted") {
    def refusing(f: Fixture): Fixture = {
      f.partition.latest = 5
      (0 until 1000).foreach(_ => f.hub.upcoming.enqueue(_.fail(SdkFailures.beyondEnd)))
      f
    }
    val error = refusing(new Fixture).failure(10, 20)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessageParameters.get("fromSeqNo") == "10")

    val lenient = refusing(new Fixture(failOnDataLoss = false))
    assert(lenient.read(10, 20).isEmpty && lenient.lost == 10)
  }

  test("a silent link is reopened before the operation times out, if the events exist") {
    val f = new Fixture
    f.hub.upcoming.enqueue(_ => ())
    assert(f.read(0, 10) == (0L until 10L))
    assert(f.hub.links.size == 2)
    assert(f.clock.getTimeMillis() < f.settings.connection.operationTimeout.toMillis)
  }

  test("long silence fails the task with an error that names the event") {
    val f = new Fixture
    (0 until 1000).foreach(_ => f.hub.upcoming.enqueue(_ => ()))
    val error = f.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_TIMEOUT")
    assert(error.getMessage.contains("event 0 is retained"))
    assert(error.getMessage.contains("partition 0"))
  }

  test("events that trickle in never count as silence") {
    val f = new Fixture
    f.partition.latest = 10
    // Every link gives one event and then falls silent, so that all of them take longer than an operation may.
    def trickle(link: FakeLink): Unit = link.deliver(link.link.fromSeqNo)
    (0 until 40).foreach(_ => f.hub.upcoming.enqueue(trickle))
    assert(f.read(0, 10) == (0L until 10L))
    assert(f.clock.getTimeMillis() > 4 * f.settings.connection.operationTimeout.toMillis)
  }

  test("a recreated hub with events under the same numbers: an error before the first one") {
    val f = new Fixture
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    val error = f.failure(3, 10)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessageParameters.get("fromSeqNo") == "3" && error.getMessageParameters.get("untilSeqNo") == "10")
    assert(error.getMessage.contains("2024-01-01T00:00:00Z") && error.getMessage.contains("2024-01-01T00:01:00Z"))
  }

  test(
    "with failOnDataLoss off, no event of a recreated hub is read, the range is counted and the link is closed"
  ) {
    val f = new Fixture(failOnDataLoss = false)
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    assert(f.read(3, 10).isEmpty && f.read(3, 4).isEmpty)
    assert(f.lost == 8)
    assert(f.hub.openLinks.isEmpty)
  }

  test("a recreated hub without such events yet: an error that names both generations") {
    val f = new Fixture
    f.partition.latest = 5
    f.hub.upcoming.enqueue { _ => f.hub.createdAt = f.hub.createdAt.plusSeconds(60) }
    assert(f.failure(0, 10).getMessage.contains("2024-01-01T00:01:00Z"))
  }

  test(
    "a hub recreated in the middle of a range: received events are kept, and none of the new hub is read"
  ) {
    val f = new Fixture(failOnDataLoss = false)
    f.hub.upcoming.enqueue(_.deliver(0, 1, 2))
    val events = f.iterator(0, 10).map(_.sequenceNumber)
    assert(events.next() == 0)
    f.hub.createdAt = f.hub.createdAt.plusSeconds(60)
    f.hub.links.head.fail(SdkFailures.notFound)
    assert(events.toSeq == Seq(1, 2))
    assert(f.lost == 7)
  }

  test("a new link asks for its hub's generation, unless its first event is no younger than a verified one") {
    val f = new Fixture
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

  test("a retried task opens a fresh link") {
    val f = new Fixture
    f.read(0, 10)
    val retry =
      new TaskContextImpl(0, 0, 0, 1L, 1, 1, null, new java.util.Properties, null, TaskMetrics.empty, 1, Map.empty)
    val events = new EventRangeIterator(
      OffsetRange(NameAndPartition("telemetry", 0), 10, 20),
      f.settings,
      f.resources,
      retry,
      reuseReceiver = true,
      TestSettings.generation,
      _ => ()
    )
    assert(events.size == 10)
    assert(f.hub.links.size == 2)
    assert(f.hub.openLinks.size == 1)
  }
}
