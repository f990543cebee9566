package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeoutException}

import scala.util.Try

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.EventHubsProducer
import org.apache.spark.eventhubs.send.SendFixture.{connection, poolOf}
import org.apache.spark.util.ManualTime
import testkit.TestSuite

class ProducerCallsSuite extends TestSuite with ScriptedService {

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

  test("a connection over which others send meanwhile is given up only when a second call has no answer") {
    Seq(1 -> false, 2 -> true).foreach { case (unanswered, isGivenUp) =>
      val (first, second) = (new FakeProducer(1, _ => ()), new FakeProducer(1, _ => ()))
      val lease = poolOf(first, second).borrow(connection)
      var calls = 0
      val ask = new ProducerCalls(lease, Duration.ofSeconds(60), maxAttempts = 3, clock, checkCancelled = () => ())
      val answer = ask("asking") { _ =>
        calls += 1
        lease.countAccepted()
        if (calls > unanswered) CompletableFuture.completedFuture("answered")
        else CompletableFuture.failedFuture[String](new TimeoutException("no answer"))
      }
      assert(answer == "answered" && first.isStalled == isGivenUp && first.isAborted == isGivenUp)
    }
  }

  /**
   * A call by a task with a timeout of a minute, that the service refuses with a pause of four seconds.
   *
   * @param accepted number of refusals after each of which it accepts a batch of another task
   * @return what came of it, and after how many seconds
   */
  private def refused(waitsForBusy: Boolean, refusals: Int, accepted: Int => Boolean = _ => false) = {
    val lease = poolOf(new FakeProducer(1, _ => ())).borrow(connection)
    var attempts = 0
    def ask: CompletableFuture[String] = {
      attempts += 1
      if (accepted(attempts)) lease.countAccepted()
      if (attempts <= refusals) CompletableFuture.failedFuture(busy(4)) else CompletableFuture.completedFuture("opened")
    }
    val before = clock.nanoTime()
    val calls = new ProducerCalls(lease, Duration.ofSeconds(60), Int.MaxValue, clock, () => (), waitsForBusy)
    val result = Try(calls("opening a link")(_ => ask))
    (result, Duration.ofNanos(clock.nanoTime() - before).toSeconds)
  }

  test("a task waits for a busy service ten times its timeout, as for a batch, and longer while others are accepted") {
    assert(refused(waitsForBusy = true, refusals = 100)._1.get == "opened")
    val (failed, seconds) = refused(waitsForBusy = true, refusals = 1000)
    assert(failed.failed.get.asInstanceOf[EventHubsException].getCondition == "EVENTHUBS_THROTTLED")
    assert(seconds > 580 && seconds <= 600)
    assert(refused(waitsForBusy = true, refusals = 1000, accepted = _ % 100 == 0)._1.get == "opened")
  }

  test("the calls of a task together wait no longer for a busy service that accepts nothing") {
    val lease = poolOf(new FakeProducer(1, _ => ())).borrow(connection)
    val calls = new ProducerCalls(lease, Duration.ofSeconds(60), Int.MaxValue, clock, () => (), waitsForBusy = true)
    val before = clock.nanoTime()
    var attempts = 0
    def open(): Try[String] = Try(calls("opening a link") { _ =>
      attempts += 1
      // A link opens after 400 s.
      if (attempts % 100 == 0) CompletableFuture.completedFuture("opened")
      else CompletableFuture.failedFuture[String](busy(4))
    })
    assert(open().isSuccess && open().isFailure)
    assert(Duration.ofNanos(clock.nanoTime() - before).toSeconds <= 600)
  }

  test("the check before a query does not wait for a busy service longer than its timeout") {
    val (failed, seconds) = refused(waitsForBusy = false, refusals = 1000)
    assert(failed.failed.get.asInstanceOf[EventHubsException].getCondition == "EVENTHUBS_THROTTLED")
    assert(seconds > 50 && seconds <= 60)
  }

  test("a call that ends only at its deadline marks its connection as stalled too") {
    val producer = new FakeProducer(1, _ => ())
    val error = intercept[EventHubsException] {
      call(producer)(checkCancelled = () => clock.advance(Duration.ofSeconds(61)))(_ => new CompletableFuture[String])
    }
    assert(error.getCondition == "EVENTHUBS_TIMEOUT" && producer.isStalled)
  }
}
