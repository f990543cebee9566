package org.apache.spark.eventhubs.executor

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}

import org.apache.spark.eventhubs.{Background, EventHubsErrors, EventHubsException}
import testkit.TestSuite

class SingleFlightSuite extends TestSuite {

  private val never = () => ()

  /** A call that runs until the test lets it finish. */
  private final class HeldCall {
    val begun = new CountDownLatch(1)
    val ended = new CountDownLatch(1)
    def apply(): Unit = { begun.countDown(); ended.await() }
  }

  /** Counts the waiting threads, each once: a waiting thread checks again and again whether it is cancelled. */
  private final class Waiters {
    private val threads = ConcurrentHashMap.newKeySet[Thread]
    def count: Int = threads.size
    val checkCancelled: () => Unit = () => { threads.add(Thread.currentThread); () }
  }

  private def waitUntil(condition: => Boolean): Unit = while (!condition) Thread.onSpinWait()

  test("tasks that wait during a call share the result of the next call") {
    val flights = new SingleFlight[String, Int]
    val (calls, waiting) = (new AtomicInteger, new Waiters)
    val first = new HeldCall
    val early = Background(flights.run("hub", never) { first(); calls.incrementAndGet() })
    first.begun.await()
    val late = Seq.fill(10)(Background(flights.run("hub", waiting.checkCancelled)(calls.incrementAndGet())))
    waitUntil(waiting.count == 10)
    first.ended.countDown()
    assert(early.result == 1)
    assert(late.map(_.result).toSet == Set(2), "the first call started before they wanted it")
  }

  test("tasks one after the other each make their own call, and so do tasks with another key") {
    val flights = new SingleFlight[String, Int]
    val calls = new AtomicInteger
    assert(Seq("a", "a", "b").map(flights.run(_, never)(calls.incrementAndGet())) == Seq(1, 2, 3))
  }

  test("an error of the service reaches all tasks that share the call; the end of the calling task does not") {
    val flights = new SingleFlight[String, Int]
    val refused = EventHubsErrors.notForTables("a")
    val first = new HeldCall
    val killed = Background(flights.run("hub", never) { first(); throw new IllegalStateException("killed") })
    first.begun.await()
    val (calls, waiting) = (new AtomicInteger, new Waiters)
    val others = Seq.fill(2)(Background(intercept[EventHubsException](
      flights.run("hub", waiting.checkCancelled) { calls.incrementAndGet(); throw refused }
    )))
    waitUntil(waiting.count == 2)
    first.ended.countDown()
    assert(killed.failure.getMessage == "killed")
    assert(others.map(_.result).forall(_ eq refused))
    assert(calls.get == 1)
  }

  test("a cancelled task does not wait for another task's call") {
    final class Cancelled extends RuntimeException
    val flights = new SingleFlight[String, Int]
    val first = new HeldCall
    val early = Background(flights.run("hub", never) { first(); 1 })
    first.begun.await()
    intercept[Cancelled](flights.run("hub", () => throw new Cancelled)(2))
    first.ended.countDown()
    assert(early.result == 1)
  }
}
