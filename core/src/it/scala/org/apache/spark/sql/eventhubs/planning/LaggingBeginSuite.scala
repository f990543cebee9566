package org.apache.spark.sql.eventhubs.planning

import java.time.Duration

import localhub.{LocalHubConfig, ServiceSettings}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.sql.eventhubs.source.StreamFixture
import org.apache.spark.sql.streaming.Trigger
import testkit.{Patience, TestSuite}

/** The service's answers about the first events of partitions are older than their retention. */
class LaggingBeginSuite extends TestSuite with StreamFixture {

  override protected def hubConfig: LocalHubConfig =
    LocalHubConfig(service = ServiceSettings(managementMaxAge = Duration.ofHours(1)))

  private val short = "eventhubs.receiverIdleTimeout" -> "1ms"

  /** So that the next read of the hub opens new links, which have no events from before. */
  private def closeIdleLinks(name: String): Unit = eventually("idle links are closed") {
    ExecutorResources.get.evictIdle()
    !localHub.amqp.readers.exists(_.hub == name)
  }

  /** A hub with 20 events, whose answers stay as they are now. */
  private def answeredHub(): String = {
    val name = newHub(1)
    send(name, 20)
    assert(batch(name, short).count() == 20)
    name
  }

  test("a start at the earliest event begins with the first one that exists, whatever the limit of a batch") {
    for (more <- Seq(Nil, Seq("maxEventsPerTrigger" -> "3"), Seq(lenient, "maxEventsPerTrigger" -> "5"))) {
      val name = answeredHub()
      closeIdleLinks(name)
      expire(name, 0, before = 8)
      val query = readAvailable(stream(name, earliest +: more: _*))
      assertSame(query.read, events(0, 8, 20))
      val metrics = query.metrics
      assert(metrics("expiredAtStart") == "8" && metrics("lostEvents") == "0", more)
      assertSame(seen(batch(name, more.filter(_ == lenient): _*)), events(0, 8, 20))
      assert(seen(batch(name, "eventhubs.maxEventsPerTask" -> "5")).size == 12, "some parts have no events")
    }
  }

  test("a first batch whose events have all expired before it is repeated is followed by the first one that exists") {
    val name = answeredHub()
    val checkpoint = newFolder()
    val frame = () => stream(name, earliest, short, "maxEventsPerTrigger" -> "5")
    val broken = start(
      frame(),
      checkpoint,
      Trigger.AvailableNow(),
      batch => throw new IllegalStateException(s"batch $batch fails by intention")
    )
    assertThrows[Exception](broken.query.awaitTermination(Patience.queryMillis))
    expire(name, 0, before = 8)
    closeIdleLinks(name)
    val query = readAvailable(frame(), checkpoint)
    assertSame(query.read, events(0, 8, 20))
  }

  test("expired events after the query's position are a loss") {
    val name = answeredHub()
    val checkpoint = newFolder()
    val frame = () => stream(name, earliest, short, "maxEventsPerTrigger" -> "10")
    def failing(batch: Long): Unit =
      if (batch == 1) throw new IllegalStateException(s"batch $batch fails by intention")
    val broken = start(frame(), checkpoint, Trigger.AvailableNow(), failing)
    assertThrows[Exception](broken.query.awaitTermination(Patience.queryMillis))
    assertSame(broken.batches.get(0)._2, events(0, 0, 10))
    closeIdleLinks(name)
    expire(name, 0, before = 13)
    val error = failureOf(frame(), checkpoint)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("fromSeqNo") == "10" && error.getMessageParameters.get("untilSeqNo") == "13")
  }
}
