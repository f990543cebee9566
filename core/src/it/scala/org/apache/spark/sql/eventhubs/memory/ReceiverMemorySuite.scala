package org.apache.spark.sql.eventhubs.memory

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.connection.{AzureEventHubsClient, EventHubsProducerClient}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.rdd.{EventRangeIterator, OffsetRange}
import org.apache.spark.util.SystemClock
import org.apache.spark.{TaskContext, TaskContextImpl}
import testkit.TestSuite

/** What waits for a receiver is bounded in bytes, whatever the size of the events. */
class ReceiverMemorySuite extends TestSuite with WaitingBytesFixture {

  private val largeBytes = 500000
  private val smallCount = 6000
  private val largeCount = 80

  private final class Fixture(more: (String, String)*) {
    val name: String = newHub(1)
    private val settings =
      ReadSettings.parse(options(name, Seq(buffer, "eventhubs.maxConnections" -> "1") ++ more), ReadMode.Stream)
    val resources =
      new ExecutorResources(new AzureEventHubsClient(_), EventHubsProducerClient.open, new SystemClock)

    /** The events of a range, read as a task reads them, with a later range that continues there. */
    def task(from: Long, until: Long)(use: Iterator[ReceivedEvent] => Unit): Long = {
      val context: TaskContextImpl = TaskContext.empty()
      val range = OffsetRange(NameAndPartition(name, 0), from, until)
      val events =
        new EventRangeIterator(range, settings, resources, context, true, HubGeneration.Unchecked("test"), _ => ())
      try {
        use(events)
        events.report.linksOpened
      } finally context.markTaskCompleted(None)
    }
  }

  private def using(f: Fixture)(test: Fixture => Unit): Unit =
    try test(f)
    finally f.resources.close()

  Seq(
    Nil -> "with the credit that follows the size of the events",
    Seq("eventhubs.prefetchCount" -> "4096") -> "with a prefetchCount of 4,096"
  ).foreach { case (more, form) =>
    test(s"large events after small ones wait within the window, in a receiver without a task and with one, $form") {
      using(new Fixture(more: _*)) { f =>
        val start = sentBytes
        sendSmall(f.name, smallCount)
        f.task(0, smallCount.toLong)(events => assert(events.size == smallCount))
        sendLarge(f.name, largeCount, largeBytes)
        val until = smallCount.toLong + largeCount
        awaitQuiet()
        // The credit of small events, of which the link has some hundreds at least.
        val ready = sentBytes - start
        val smallBytes = smallCount * (SmallBytes + 200L)
        assert(ready <= windowBytes + smallBytes + framingBytes, "of a receiver without a task")
        var (taken, expected, most) = (0L, smallCount.toLong, 0L)
        val links = f.task(expected, until) { events =>
          events.foreach { event =>
            assert(event.sequenceNumber == expected)
            expected += 1
            taken += event.bodyLength
            // A slow task: the hub has the time to send what it may.
            if (expected % 10 == 0) awaitQuiet()
            most = math.max(most, sentBytes - start - ready + windowBytes - taken)
          }
        }
        assert(expected == until)
        // A link that is replaced, because its credit fits small events only, drops what waits for it.
        assert(most <= (links + 2) * windowBytes + framingBytes, s"$links links")
      }
    }
  }

  test("an event that is larger than the whole window arrives") {
    using(new Fixture) { f =>
      sendLarge(f.name, 3, 20 << 20)
      f.task(0, 3)(events => assert(events.map(_.bodyLength).toSeq == Seq.fill(3)(20 << 20)))
    }
  }

  test("a receiver whose window is closed does not stop another one of its partition on its connection") {
    using(new Fixture("eventhubs.prefetchCount" -> "64")) { f =>
      sendLarge(f.name, largeCount, largeBytes)
      f.task(0, largeCount.toLong) { stopped =>
        assert(stopped.next().sequenceNumber == 0)
        awaitQuiet()
        f.task(0, largeCount.toLong)(events => assert(events.map(_.sequenceNumber).toSeq == (0L until largeCount)))
        assert(f.resources.clients.size == 1)
        assert(stopped.map(_.sequenceNumber).toSeq == (1L until largeCount))
      }
    }
  }
}
