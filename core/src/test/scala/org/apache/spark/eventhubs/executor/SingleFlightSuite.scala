package org.apache.spark.eventhubs.executor

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.{Background, EventHubsErrors, EventHubsException}

class SingleFlightSuite extends AnyFunSuite {

  private val never = () => ()

  /** A question that is being asked until the test lets it be answered. */
  private final class Held {
    val begun = new CountDownLatch(1)
    val ended = new CountDownLatch(1)
    def apply(): Unit = { begun.countDown(); ended.await() }
  }

  /** Counts those who wait, each once: a waiter asks again and again whether it is cancelled. */
  private final class Waiters {
    private val threads = ConcurrentHashMap.newKeySet[Thread]
    def count: Int = threads.size
    val checkCancelled: () => Unit = () => { threads.add(Thread.currentThread); () }
  }

  private def waitUntil(condition: => Boolean): Unit = while (!condition) Thread.onSpinWait()

  test("all who wait while a question is asked share the answer of the next one") {
    val questions = new SingleFlight[String, Int]
    val (asked, waiting) = (new AtomicInteger, new Waiters)
    val first = new Held
    val early = Background(questions.ask("hub", never) { first(); asked.incrementAndGet() })
    first.begun.await()
    val late = Seq.fill(10)(Background(questions.ask("hub", waiting.checkCancelled)(asked.incrementAndGet())))
    waitUntil(waiting.count == 10)
    first.ended.countDown()
    assert(early.result == 1)
    assert(late.map(_.result).toSet == Set(2), "the first question was asked before they had it")
  }

  test("one after the other, each asks for itself; so do those with another key") {
    val questions = new SingleFlight[String, Int]
    val asked = new AtomicInteger
    assert(Seq("a", "a", "b").map(questions.ask(_, never)(asked.incrementAndGet())) == Seq(1, 2, 3))
  }

  test("what the service says against a question is said to all; the end of the task that asks is its own") {
    val questions = new SingleFlight[String, Int]
    val refused = EventHubsErrors.notForTables("a")
    val first = new Held
    val killed = Background(questions.ask("hub", never) { first(); throw new IllegalStateException("killed") })
    first.begun.await()
    val (asked, waiting) = (new AtomicInteger, new Waiters)
    val others = Seq.fill(2)(Background(intercept[EventHubsException](
      questions.ask("hub", waiting.checkCancelled) { asked.incrementAndGet(); throw refused }
    )))
    waitUntil(waiting.count == 2)
    first.ended.countDown()
    assert(killed.failure.getMessage == "killed")
    assert(others.map(_.result).forall(_ eq refused))
    assert(asked.get == 1)
  }

  test("a task that is cancelled does not wait for another's answer") {
    final class Cancelled extends RuntimeException
    val questions = new SingleFlight[String, Int]
    val first = new Held
    val early = Background(questions.ask("hub", never) { first(); 1 })
    first.begun.await()
    intercept[Cancelled](questions.ask("hub", () => throw new Cancelled)(2))
    first.ended.countDown()
    assert(early.result == 1)
  }
}
