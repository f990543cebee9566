package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.sql.streaming.Trigger
import testkit.{Patience, TestSuite}

class V1StreamLeakSuite extends StreamLeakBehaviour(ApiVersion.V1)
class V2StreamLeakSuite extends StreamLeakBehaviour(ApiVersion.V2)

/** Resources that queries leave open when they end. */
abstract class StreamLeakBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private val hasty = "eventhubs.receiverIdleTimeout" -> "1ms"

  /** Closes idle resources at once. A resource that a query did not return stays open. */
  private def assertNothingStays(): Unit = {
    eventually("no link is left") {
      ExecutorResources.get.evictIdle()
      localHub.amqp.readers.isEmpty
    }
    eventually("no connection is left") {
      ExecutorResources.get.clients.evictIdle(0)
      localHub.amqp.counters.openConnections == 0
    }
  }

  test("a stopped query leaves nothing open") {
    val name = newHub(3)
    send(name, 100, 100, 100)
    running(stream(name, earliest, hasty)) { query =>
      assertSame(query.catchUp(), firstEvents(100, 100, 100))
    }
    assertNothingStays()
  }

  test("a finished query leaves nothing open") {
    val name = newHub(2)
    send(name, 50, 50)
    assertSame(readAvailable(stream(name, earliest, hasty)).read, firstEvents(50, 50))
    assertNothingStays()
  }

  test("queries that cannot start leave nothing open") {
    failureOf(stream("nohub", hasty))
    failureOf(stream(newHub(1), hasty, "eventhubs.consumerGroup" -> "unknown"))
    failureOf(stream(newHub(1), hasty, "eventhubs.startingPosition" -> "9"))
    assertNothingStays()
  }

  test("a query whose sink fails leaves nothing open") {
    val name = newHub(2)
    send(name, 500, 500)
    val broken = start(
      stream(name, earliest, hasty),
      newFolder(),
      Trigger.AvailableNow(),
      onBatch = _ => throw new IllegalStateException("the sink is broken")
    )
    assertThrows[Exception](broken.query.awaitTermination(Patience.queryMillis))
    assertNothingStays()
  }

  test("batch reads leave nothing open") {
    val name = newHub(2)
    send(name, 500, 500)
    val frame = batch(name, hasty)
    assert(frame.count() == 1000)
    assert(frame.limit(3).collect().length == 3)
    intercept[Exception](batch(name, hasty, "eventhubs.startingPosition" -> "501").count())
    assertNothingStays()
  }
}
