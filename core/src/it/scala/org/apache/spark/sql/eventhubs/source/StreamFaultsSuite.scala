package org.apache.spark.sql.eventhubs.source

import java.time.Duration

import org.scalatest.BeforeAndAfterEach

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.{LocalHubConfig, ServiceSettings}
import testkit.TestSuite

/** With a hub whose readers settle each event. */
class UnsettledStreamFaultsSuite extends StreamFaultsSuite {
  override protected def hubConfig: LocalHubConfig =
    LocalHubConfig(service = ServiceSettings(unsettledReaders = true))
}

/** Connections that break, links that are closed, tasks that fail: no event is lost or repeated. */
class StreamFaultsSuite extends TestSuite with StreamFixture with BeforeAndAfterEach {

  override protected def afterEach(): Unit = {
    localHub.amqp.faults.clear()
    super.afterEach()
  }

  private def inject(name: String, action: FaultAction, occasion: Occasion, skip: Int, count: Int): () => Int = {
    val scope = FaultScope(hub = Some(name))
    val injected = localHub.amqp.faults.inject(Fault(action, occasion, scope, skip = skip, count = Some(count)))
    () => if (localHub.amqp.faults.active.exists(_.id == injected.id)) 0 else 1
  }

  private val prefetch = "eventhubs.prefetchCount" -> "50"

  test("a connection that breaks repeatedly in the middle of a batch loses and repeats nothing") {
    val name = newHub(2)
    send(name, 3000, 3000)
    val over = inject(name, FaultAction.DropConnection, Occasion.Receive, skip = 3, count = 4)
    assertSame(readAvailable(stream(name, earliest, prefetch)).read, firstEvents(3000, 3000))
    assert(over() == 1, "the connections were dropped")
  }

  test("a link that the service detaches") {
    val name = newHub(2)
    send(name, 3000, 3000)
    val detach = FaultAction.Detach("amqp:link:detach-forced", "The link is force detached.")
    val over = inject(name, detach, Occasion.Receive, skip = 3, count = 5)
    assertSame(readAvailable(stream(name, earliest, prefetch)).read, firstEvents(3000, 3000))
    assert(over() == 1)
  }

  test("a service that is busy when a link is opened") {
    val name = newHub(1)
    send(name, 20)
    val busy = FaultAction.Detach("com.microsoft:server-busy", "The server is busy, wait 4 seconds.")
    // The first link is the query's readiness check, which ends before the tasks open theirs.
    val over = inject(name, busy, Occasion.Attach, skip = 1, count = 1)
    assertSame(readAvailable(stream(name, earliest)).read, firstEvents(20))
    assert(over() == 1)
  }

  Seq(
    "all connections break between two batches" -> FaultAction.DropConnection,
    "tokens that expire under a running query are renewed" -> FaultAction.ExpireTokens
  ).foreach { case (sentence, fault) =>
    test(sentence) {
      val name = newHub(2)
      send(name, 10, 10)
      running(stream(name, earliest)) { query =>
        query.catchUp()
        localHub.amqp.faults.inject(Fault(fault, Occasion.Now))
        send(name, 5, 5)
        assertSame(query.catchUp(), firstEvents(15, 15))
      }
    }
  }

  test("a link that falls silent is reopened") {
    val name = newHub(1)
    send(name, 500)
    inject(name, FaultAction.Stall, Occasion.Receive, skip = 2, count = 1)
    val hasty = Seq("eventhubs.receiverTimeout" -> "2s")
    assertSame(readAvailable(stream(name, hasty :+ earliest :+ prefetch: _*)).read, firstEvents(500))
  }

  test("a reader that another one disconnected: the task's next attempt continues, for shared readers") {
    val name = newHub(1)
    send(name, 2000)
    val over = inject(name, FaultAction.Steal, Occasion.Receive, skip = 4, count = 1)
    assertSame(readAvailable(stream(name, earliest, prefetch)).read, firstEvents(2000))
    assert(over() == 1)
  }

  test("a reader that is disconnected repeatedly is an error that says what to do") {
    val name = newHub(1)
    send(name, 2000)
    inject(name, FaultAction.Steal, Occasion.Receive, skip = 2, count = 100000)
    val error = failureOf(stream(name, earliest, prefetch))
    assert(error.getCondition == "EVENTHUBS_RECEIVER_DISCONNECTED")
    assert(error.getMessage.contains(name) && error.getMessage.contains("consumer group"))
  }

  test("a task that fails is retried with a new link, and every event arrives once") {
    val name = newHub(2)
    send(name, 400, 400)
    FailOnce.reset()
    val frame = stream(name, earliest).filter((row: org.apache.spark.sql.Row) =>
      FailOnce.at(row.getAs[Long]("sequenceNumber") == 123)
    )
    assertSame(readAvailable(frame).read, firstEvents(400, 400))
    assert(FailOnce.failed)
  }

  test("the wait for a service that does not answer ends after the operation timeout") {
    val name = newHub(1)
    send(name, 100)
    inject(name, FaultAction.Stall, Occasion.Receive, skip = 1, count = 100000)
    val started = System.nanoTime()
    val error = failureOf(stream(name, earliest, "eventhubs.operationTimeout" -> "6s", prefetch))
    assert(error.getCondition == "EVENTHUBS_TIMEOUT")
    assert(System.nanoTime() - started < Duration.ofSeconds(60).toNanos, "no hang")
  }
}

/** Fails one task of this JVM. */
object FailOnce {
  @volatile var failed = false

  def reset(): Unit = failed = false

  def at(place: Boolean): Boolean = {
    val first = synchronized {
      val due = place && !failed
      if (due) failed = true
      due
    }
    if (first) throw new IllegalStateException("this task fails once")
    true
  }
}
