package org.apache.spark.sql.eventhubs.realtime

import java.time.temporal.ChronoUnit.MILLIS

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.connection.{AzureEventHubsClient, EventHubsProducerClient, SessionEndingProxy}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.rdd.{OffsetRange, ReadAccumulator, UnboundedRangeReader}
import org.apache.spark.eventhubs.{EventHubsException, NameAndPartition}
import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import org.apache.spark.util.SystemClock
import testkit.{Patience, TestSuite}

/** Over AMQP, as one task after the other on one executor. */
class UnboundedRangeReaderSuite extends TestSuite with ReadSparkFixture {

  private def reading[T](hub: String, more: (String, String)*)(use: Executor => T): T = {
    val executor = new Executor(ReadSettings.parse(options(hub, more: _*), ReadMode.Stream), hub)
    try use(executor)
    finally executor.resources.close()
  }

  private final class Executor(settings: ReadSettings, hub: String) {
    val resources =
      new ExecutorResources(new AzureEventHubsClient(_), EventHubsProducerClient.open, new SystemClock)
    val totals = new ReadAccumulator

    /** The hub when the executor started. */
    private val generation =
      HubGeneration.CreatedAt(
        localHub.namespace.find(hub).getOrElse(fail(s"no hub $hub")).createdAt.truncatedTo(MILLIS)
      )

    def task[T](from: Long)(use: UnboundedRangeReader => T): T = {
      val context = TaskContext.empty()
      val range = OffsetRange(NameAndPartition(hub, 0), from, Long.MaxValue)
      try use(new UnboundedRangeReader(
          range,
          settings,
          generation,
          resources,
          context,
          reuseReceiver = true,
          totals
        ))
      catch {
        case failed: Throwable =>
          context.markTaskFailed(failed)
          throw failed
      } finally context.markTaskCompleted(None)
    }
  }

  private val shortTimeout = "eventhubs.receiverTimeout" -> "1s"

  private def take(events: UnboundedRangeReader, count: Int): Seq[String] = (1 to count).map { _ =>
    assert(events.advanceWithin(Patience.queryMillis), "no event came")
    new String(events.current.body)
  }

  test("events come as they arrive; a time without events is not the end") {
    val hub = newHub(1)
    fill(hub, 0, 0, 2)
    reading(hub)(_.task(from = 0) { events =>
      assert(take(events, 2) == Seq("p0-0", "p0-1"))
      assert(!events.advanceWithin(50) && !events.advanceWithin(0))
      fill(hub, 0, 2, 3)
      assert(take(events, 1) == Seq("p0-2"))
      assert(events.nextSeqNo == 3 && events.report.events == 3)
    })
  }

  test("the next task continues with the receiver and its prefetched events; one that starts elsewhere opens its own") {
    val hub = newHub(1)
    fill(hub, 0, 0, 100)
    // Fixed, because otherwise the link is reopened once the event size is known.
    reading(hub, "eventhubs.prefetchCount" -> "50") { executor =>
      executor.task(from = 0)(take(_, 10))
      executor.task(from = 10)(events => assert(take(events, 90).last == "p0-99"))
      assert(executor.totals.value.linksOpened == 1 && executor.totals.value.events == 100)
      executor.task(from = 50)(events => assert(take(events, 1) == Seq("p0-50")))
      assert(executor.totals.value.linksOpened == 2)
    }
  }

  test("a task that failed closes its receiver") {
    val hub = newHub(1)
    fill(hub, 0, 0, 10)
    reading(hub) { executor =>
      intercept[IllegalStateException](executor.task(from = 0) { events =>
        take(events, 5)
        throw new IllegalStateException("thrown by the test")
      })
      assert(executor.resources.receivers.size == 0)
    }
  }

  test(
    "a recreated hub ends the task, which reads none of its events; without an error the driver finds it with the next batch"
  ) {
    for (fails <- Seq(true, false)) {
      val hub = newHub(1)
      fill(hub, 0, 0, 10)
      reading(hub, "eventhubs.failOnDataLoss" -> fails.toString) { executor =>
        def read(): Unit = executor.task(from = 0) { events =>
          take(events, 10)
          localHub.recreateHub(hub)
          fill(hub, 0, 0, 20)
          val asked = localHub.amqp.counters.managementCalls
          // It asks for the generation with the first event of the new link, and has the answer when it returns.
          eventually("it has not asked for the hub's generation") {
            assert(!events.advanceWithin(100))
            localHub.amqp.counters.managementCalls > asked
          }
          assert(events.nextSeqNo == 10 && events.report.events == 10)
          assert(!events.advanceWithin(1))
        }
        if (fails) assert(intercept[EventHubsException](read()).getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
        else read()
        assert(executor.totals.value.lost == 0 && executor.resources.receivers.size == 0)
      }
    }
  }

  test("a partition that is quiet for longer than receiverTimeout is still read, empty or not") {
    for (before <- Seq(0, 3)) {
      val hub = newHub(1)
      fill(hub, 0, 0, before)
      reading(hub, shortTimeout)(_.task(from = 0) { events =>
        take(events, before)
        assert(!events.advanceWithin(2500))
        fill(hub, 0, before, before + 2)
        assert(take(events, 2) == Seq(s"p0-$before", s"p0-${before + 1}"))
      })
    }
  }

  Seq[(String, SessionEndingProxy => Unit)](
    "with an error" -> (_.endSessions("amqp:internal-error", "The service was unable to process the request.")),
    "without an error" -> (_.endSessionsWithoutError())
  ).foreach { case (how, end) =>
    test(s"the next event comes soon after the service has ended the reader's session $how, and kept the connection") {
      val hub = newHub(1)
      fill(hub, 0, 0, 2)
      val proxy = new SessionEndingProxy(localHub.amqpPort)
      try reading(hub, "eventhubs.customEndpoint" -> s"localhost:${proxy.port}")(_.task(from = 0) { events =>
          take(events, 2)
          end(proxy)
          fill(hub, 0, 2, 3)
          // With the SDK alone after half a minute.
          assert(events.advanceWithin(10000), "the end of the session was not noticed")
        })
      finally proxy.close()
    }
  }

  test("a recreated hub with as many events is found after a time without events") {
    val hub = newHub(1)
    fill(hub, 0, 0, 10)
    reading(hub, shortTimeout) { executor =>
      val failed = intercept[EventHubsException](executor.task(from = 0) { events =>
        take(events, 10)
        localHub.recreateHub(hub)
        fill(hub, 0, 0, 10)
        events.advanceWithin(Patience.queryMillis)
      })
      assert(failed.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED" && failed.getMessage.contains("created at"))
    }
  }

  test("expired events are an error with their numbers, or are counted and skipped") {
    val hub = newHub(1)
    fill(hub, 0, 0, 10)
    localHub.namespace.find(hub).foreach(_.partitions.head.trimBefore(4))
    val failed = intercept[EventHubsException](reading(hub)(_.task(from = 1)(take(_, 1))))
    assert(failed.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(failed.getMessageParameters.get("fromSeqNo") == "1" && failed.getMessageParameters.get("untilSeqNo") == "4")
    reading(hub, "eventhubs.failOnDataLoss" -> "false") { executor =>
      executor.task(from = 1)(events => assert(take(events, 6) == (4 until 10).map(n => s"p0-$n")))
      assert(executor.totals.value.lost == 3)
    }
  }
}
