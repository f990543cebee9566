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

  private def call(producers: FakeProducer*)(checkCancelled: () => Unit)(
      ask: EventHubsProducer => CompletableFuture[String]
  ): String = {
    val lease = poolOf(producers: _*).borrow(connection)
    new ProducerCalls(lease, Duration.ofSeconds(60), maxAttempts = 2, clock, checkCancelled)("opening a link")(ask)
  }

  test("a call without an answer marks its connection as stalled, for the other tasks that use it") {
    val (first, second) = (new FakeProducer(1, _ => ()), new FakeProducer(1, _ => ()))
    val unanswered = CompletableFuture.failedFuture[String](new TimeoutException("no answer"))
    val opened = CompletableFuture.completedFuture("opened")
    assert(call(first, second)(() => ())(producer => if (producer eq first) unanswered else opened) == "opened")
    assert(first.isAborted && first.isStalled && !second.isStalled)
  }

  test("a call that ends only at its deadline marks its connection as stalled too") {
    val producer = new FakeProducer(1, _ => ())
    val error = intercept[EventHubsException] {
      call(producer)(checkCancelled = () => clock.advance(Duration.ofSeconds(61)))(_ => new CompletableFuture[String])
    }
    assert(error.getCondition == "EVENTHUBS_TIMEOUT" && producer.isStalled)
  }
}
