package org.apache.spark.eventhubs.rdd

import java.time.Duration

import reactor.core.CoreSubscriber

import org.apache.spark.eventhubs.connection.{EventHubsClient, FakeHub, HubProperties, PartitionBounds, ReceiveLink}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.{EventHubsException, EventPosition, NameAndPartition, TestSettings}
import org.apache.spark.{TaskContext, TaskContextImpl}
import testkit.TestSuite

/** What an [[UnboundedRangeReader]] checks, and when, on a hub in memory. */
class UnboundedRangeChecksSuite extends TestSuite {

  private class Fixture(options: (String, String)*) {
    val hub = new FakeHub(1)
    val partition = hub.partitions(0)
    partition.latest = 10
    val clock = new TickingClock
    val settings = TestSettings.stream(options: _*)
    val context: TaskContextImpl = TaskContext.empty()

    /** How long the hub takes to answer which generation it is. */
    var answerMillis = 0L
    private val resources = new ExecutorResources(
      connection => new SlowClient(hub.connect(connection), () => clock.advance(answerMillis)),
      _ => throw new AssertionError("nothing is written"),
      clock
    )

    def reader(from: Long, until: Long = Long.MaxValue): UnboundedRangeReader = new UnboundedRangeReader(
      OffsetRange(NameAndPartition("telemetry", 0), from, until),
      settings,
      TestSettings.generation,
      resources,
      context,
      reuseReceiver = true,
      new ReadAccumulator
    )
  }

  /** Answers questions about the hub after `wait`. */
  private final class SlowClient(client: EventHubsClient, wait: () => Unit) extends EventHubsClient {
    override def hubProperties(): HubProperties = {
      wait()
      client.hubProperties()
    }
    override def partitionBounds(partitionIds: Seq[Int]): Map[Int, PartitionBounds] =
      client.partitionBounds(partitionIds)
    override def firstSequenceNumber(
        group: String,
        partition: Int,
        position: EventPosition,
        level: Option[Long],
        timeout: Duration,
        whenEmpty: Option[Long]
    ): Option[Long] = client.firstSequenceNumber(group, partition, position, level, timeout, whenEmpty)
    override def epochAt(
        group: String,
        partition: Int,
        seqNo: Long,
        level: Option[Long],
        timeout: Duration,
        whenEmpty: Option[Int]
    ): Option[Int] = client.epochAt(group, partition, seqNo, level, timeout, whenEmpty)
    override def checkReading(group: String, partition: Int, level: Option[Long], timeout: Duration): Unit =
      client.checkReading(group, partition, level, timeout)
    override def subscribe(link: ReceiveLink, reader: CoreSubscriber[Array[Byte]]): Unit =
      client.subscribe(link, reader)
    override def close(): Unit = client.close()
  }

  test("a task that ends at a malformed event leaves no link open") {
    val f = new Fixture()
    f.partition.latest = 1
    val reader = f.reader(from = 0)
    assert(reader.advanceWithin(1000))
    f.hub.links.head.deliverBytes(Array.fill[Byte](200)(1))
    val failed = intercept[EventHubsException](reader.advanceWithin(1000))
    f.context.markTaskFailed(failed)
    // The report needs the time of the current event.
    intercept[Exception](f.context.markTaskCompleted(Some(failed)))
    assert(f.hub.openLinks.isEmpty)
  }

  test("events after the end of its range are delivered too") {
    val f = new Fixture
    val events = f.reader(0, until = 3)
    val seen = (0 until 10).map { _ =>
      assert(events.advanceWithin(10000))
      events.current.sequenceNumber
    }
    assert(seen == (0L until 10L) && events.nextSeqNo == 10 && events.report.events == 10)
  }

  test("silence is measured from the arrival of the last event, not from the end of the checks after it") {
    val f = new Fixture
    f.partition.latest = 1
    f.answerMillis = 50000
    assert(f.settings.receiverTimeout == Duration.ofSeconds(60))
    val events = f.reader(0)
    assert(events.advanceWithin(10000))
    val asked = f.hub.boundsCalls
    // The interval before the question differs by up to a fifth between tasks.
    assert(!events.advanceWithin(25000))
    assert(f.hub.boundsCalls > asked)
  }

  test("a question that is due is asked, however short Spark's waits are") {
    // Many, because the interval before the question differs by up to a fifth: in some it ends just before a wait does.
    (1 to 10).foreach { _ =>
      val f = new Fixture
      f.partition.latest = 0
      val events = f.reader(0)
      (0 until 40).foreach(_ => assert(!events.advanceWithin(2000)))
      assert(f.hub.boundsCalls == 1 || f.hub.boundsCalls == 2, "the first one may have been given up")
    }
  }

  test("of a compacted hub, gaps are no loss, and the end is passed when its last events are gone") {
    val f = new Fixture("eventhubs.compacted" -> "true")
    f.partition.missing = Set(0L, 3L, 4L, 8L, 9L)
    val events = f.reader(0)
    val seen = (0 until 5).map { _ =>
      assert(events.advanceWithin(10000))
      events.current.sequenceNumber
    }
    assert(seen == Seq(1L, 2L, 5L, 6L, 7L) && events.nextSeqNo == 8)
    assert(!events.advanceWithin(3 * f.settings.receiverTimeout.toMillis))
    assert(events.nextSeqNo == 10 && f.hub.links.size == 1)
    f.partition.latest = 12
    f.hub.links.head.serve()
    assert(events.advanceWithin(10000) && events.current.sequenceNumber == 10)
  }

  test("a partition that ends before events that were read is a loss, although its hub was not recreated") {
    val f = new Fixture
    val events = f.reader(0)
    (0 until 10).foreach(_ => assert(events.advanceWithin(10000)))
    f.partition.latest = 3
    val lost = intercept[EventHubsException] {
      (0 until 20).foreach(_ => events.advanceWithin(f.settings.receiverTimeout.toMillis))
    }
    assert(lost.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED" && lost.getMessage.contains("answers of the service"))
    assert(intercept[EventHubsException](events.advanceWithin(1000)) eq lost, "a caller that continues gets it again")
  }

  test("a reader that fails while it starts closes its link with the task") {
    val f = new Fixture
    f.hub.upcoming.enqueue(_ => throw new IllegalStateException("refused by the test"))
    assertThrows[IllegalStateException](f.reader(0))
    f.context.markTaskFailed(new IllegalStateException("refused by the test"))
    f.context.markTaskCompleted(None)
    assert(f.hub.links.size == 1 && f.hub.openLinks.isEmpty)
  }
}
