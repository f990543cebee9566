package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.sql.eventhubs.source.StreamFixture
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.Trigger
import testkit.{Patience, TestSuite}

/** Queries that start at `earliest` on a hub whose retention removes events all the time. */
class EarliestStartSuite extends TestSuite with StreamFixture {

  private val short = "eventhubs.receiverIdleTimeout" -> "1ms"

  /** So that the next read of the hub opens new links, which have no events from before. */
  private def closeIdleLinks(name: String): Unit = eventually("idle links are closed") {
    ExecutorResources.get.evictIdle()
    !localHub.amqp.readers.exists(_.hub == name)
  }

  /** A planned batch read of 20 events of partition 0 and `others` of partition 1, if there is one. */
  private def planned(name: String, others: Seq[Int], more: (String, String)*): SparkPlan = {
    send(name, 20 +: others: _*)
    batch(name, more: _*).queryExecution.executedPlan
  }

  private def failing(batch: Long): Unit = throw new IllegalStateException(s"batch $batch fails by intention")

  test("a batch read whose first events expire between planning and reading is not an error") {
    val name = newHub(2)
    val plan = planned(name, others = Seq(6))
    expire(name, 0, before = 8)
    expire(name, 1, before = 6)
    assert(plan.executeCollect().length == 12)
  }

  test("a batch read that is split into tasks skips expired events in each of them") {
    val name = newHub(1)
    val plan = planned(name, others = Nil, "eventhubs.maxEventsPerTask" -> "5")
    expire(name, 0, before = 8)
    assert(plan.executeCollect().length == 12)
  }

  test("a batch read from a sequence number reports events that expire between planning and reading") {
    val name = newHub(1)
    val plan = planned(name, others = Nil, "eventhubs.startingPosition" -> "0")
    expire(name, 0, before = 8)
    val error = ours(intercept[Exception](plan.executeCollect()))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
  }

  test("a stream that stored such a start restarts after its events have expired, and counts them") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 20, 5)
    val broken = start(stream(name, earliest, short), checkpoint, Trigger.AvailableNow(), failing)
    assertThrows[Exception](broken.query.awaitTermination(Patience.queryMillis))
    closeIdleLinks(name)
    expire(name, 0, before = 7)
    send(name, 3, 0)
    val query = readAvailable(stream(name, earliest, short), checkpoint)
    assertSame(query.read, events(0, 7, 23) ++ events(1, 0, 5))
    val metrics = query.query.recentProgress.last.sources.head.metrics
    assert(metrics.get("expiredAtStart") == "7" && metrics.get("lostEvents") == "0")
  }

  test("once a stream has read, expired events are a loss") {
    val name = newHub(1)
    val checkpoint = newFolder()
    send(name, 10)
    readAvailable(stream(name, earliest, short), checkpoint)
    closeIdleLinks(name)
    send(name, 10)
    expire(name, 0, before = 13)
    val error = failureOf(stream(name, earliest, short), checkpoint)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("fromSeqNo") == "10" && error.getMessageParameters.get("untilSeqNo") == "13")
  }
}
