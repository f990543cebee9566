package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeoutException}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.EventHubsProducer
import org.apache.spark.eventhubs.send.SendFixture.{connection, poolOf}
import org.apache.spark.util.ManualTime
import testkit.TestSuite

class ProducerCallsSuite extends TestSuite {

  private val clock = new ManualTime
  private val first = new FakeProducer(1, _ => ())
  private val second = new FakeProducer(1, _ => ())

  private def call(checkCancelled: () => Unit)(ask: EventHubsProducer => CompletableFuture[String]): String = {
    val lease = poolOf(first, second).borrow(connection)
    new ProducerCalls(lease, Duration.ofSeconds(60), maxAttempts = 2, clock, checkCancelled)("opening a link")(ask)
  }

  test("a call without an answer marks its connection as stalled, for the other tasks that use it") {
    val unanswered = CompletableFuture.failedFuture[String](new TimeoutException("no answer"))
    val opened = CompletableFuture.completedFuture("opened")
    assert(call(() => ())(producer => if (producer eq first) unanswered else opened) == "opened")
    assert(first.isAborted && first.isStalled && !second.isStalled)
  }

  test("a call that ends only at its deadline marks its connection as stalled too") {
    val error = intercept[EventHubsException] {
      call(checkCancelled = () => clock.advance(Duration.ofSeconds(61)))(_ => new CompletableFuture[String])
    }
    assert(error.getCondition == "EVENTHUBS_TIMEOUT" && first.isStalled)
  }
}
