package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.connection.{FakeLink, SdkFailures}
import org.apache.spark.eventhubs.{EventHubsException, NameAndPartition, TestSettings}
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.{TaskContext, TaskContextImpl}
import testkit.TestSuite

class EventRangeIteratorSuite extends TestSuite {

  test("a range has each of its events once, in order") {
    val f = new RangeFixture
    assert(f.read(3, 503) == (3L until 503L))
    assert(f.lost == 0)
  }

  test("repeated calls of hasNext skip no event") {
    val f = new RangeFixture
    val events = f.iterator(0, 2)
    assert(events.hasNext && events.hasNext)
    assert(events.next().sequenceNumber == 0)
    assert(events.next().sequenceNumber == 1)
    assert(!events.hasNext && !events.hasNext)
    assertThrows[NoSuchElementException](events.next())
  }

  test("at the end of a range the receiver is kept for the next one") {
    val f = new RangeFixture(options = Seq("eventhubs.prefetchCount" -> "100"))
    f.read(0, 10)
    f.context.markTaskCompleted(None)
    assert(f.resources.receivers.size == 1)
    f.context = TaskContext.empty()
    f.read(10, 20)
    assert(f.hub.links.size == 1)
  }

  test("a batch read keeps no receiver") {
    val f = new RangeFixture
    assert(f.iterator(0, 10, reuse = false).size == 10)
    assert(f.resources.receivers.size == 0)
    assert(f.hub.openLinks.isEmpty)
  }

  test("a task that ends in the middle of its range closes its receiver") {
    val f = new RangeFixture
    assert(f.iterator(0, 100).take(5).map(_.sequenceNumber).toList == (0L until 5L))
    f.context.markTaskCompleted(None)
    assert(f.resources.receivers.size == 0)
    assert(f.hub.openLinks.isEmpty)
  }

  test("a killed task closes its receiver") {
    val f = new RangeFixture
    f.partition.latest = 5
    f.context.markInterrupted("killed")
    assertThrows[InterruptedException](f.read(0, 10))
    f.context.markTaskCompleted(None)
    assert(f.hub.openLinks.isEmpty)
  }

  test("a task that fails while it starts closes its link") {
    val f = new RangeFixture
    f.hub.upcoming.enqueue(_ => throw new IllegalStateException("refused by the test"))
    assertThrows[IllegalStateException](f.iterator(0, 10))
    f.context.markTaskCompleted(None)
    assert(f.hub.links.size == 1 && f.hub.openLinks.isEmpty)
  }

  test("a link that fails in the middle of a range is replaced without a gap") {
    val f = new RangeFixture
    f.hub.upcoming.enqueue { link => link.deliver(0, 1, 2); link.fail(SdkFailures.detached) }
    f.hub.upcoming.enqueue { link => link.deliver(3, 4); link.complete() }
    assert(f.read(0, 10) == (0L until 10L))
  }

  test("a silent link is reopened before the operation times out, if the events exist") {
    val f = new RangeFixture
    f.hub.upcoming.enqueue(_ => ())
    assert(f.read(0, 10) == (0L until 10L))
    assert(f.hub.links.size == 2)
    assert(f.clock.getTimeMillis() < f.settings.connection.operationTimeout.toMillis)
  }

  test("long silence fails the task with an error that names the event") {
    val f = new RangeFixture
    (0 until 1000).foreach(_ => f.hub.upcoming.enqueue(_ => ()))
    val error = f.failure(0, 10)
    assert(error.getCondition == "EVENTHUBS_TIMEOUT")
    assert(error.getMessage.contains("event 0 did not arrive"))
    assert(error.getMessage.contains("if the hub is compacted, set 'eventhubs.compacted'"))
    assert(error.getMessage.contains("partition 0"))
  }

  test("a caller that continues after a loss gets no end of the range, but the loss again") {
    val f = new RangeFixture
    f.partition.latest = 3
    val events = f.iterator(0, 10)
    (0 until 3).foreach(_ => events.next())
    val lost = intercept[EventHubsException](events.hasNext)
    assert(intercept[EventHubsException](events.hasNext) eq lost)
  }

  test("events that trickle in never count as silence") {
    val f = new RangeFixture
    f.partition.latest = 10
    // Every link gives one event and then falls silent, so that all of them take longer than an operation may.
    def trickle(link: FakeLink): Unit = link.deliver(link.link.fromSeqNo)
    (0 until 40).foreach(_ => f.hub.upcoming.enqueue(trickle))
    assert(f.read(0, 10) == (0L until 10L))
    assert(f.clock.getTimeMillis() > 4 * f.settings.connection.operationTimeout.toMillis)
  }

  test("a retried task opens a fresh link") {
    val f = new RangeFixture
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
