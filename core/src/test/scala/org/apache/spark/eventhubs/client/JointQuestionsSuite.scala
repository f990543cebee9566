package org.apache.spark.eventhubs.client

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}

class JointQuestionsSuite extends AnyFunSuite {

  private val never = () => ()

  /** A question that is being asked until the test lets it be answered. */
  private final class Held {
    val begun = new CountDownLatch(1)
    val ended = new CountDownLatch(1)
    def apply(): Unit = { begun.countDown(); ended.await() }
  }

  private def waitUntil(condition: => Boolean): Unit = while (!condition) Thread.onSpinWait()

  test("all who wait while a question is asked share the answer of the next one") {
    val questions = new JointQuestions[String, Int]
    val (asked, waiting) = (new AtomicInteger, new AtomicInteger)
    val first = new Held
    val early = Background(questions.ask("hub", never) { first(); asked.incrementAndGet() })
    first.begun.await()
    val counted = ThreadLocal.withInitial[java.lang.Boolean](() => false)
    def count(): Unit = if (!counted.get) { counted.set(true); waiting.incrementAndGet(); () }
    val late = Seq.fill(10)(Background(questions.ask("hub", () => count())(asked.incrementAndGet())))
    waitUntil(waiting.get == 10)
    first.ended.countDown()
    assert(early.result == 1)
    assert(late.map(_.result).toSet == Set(2), "the first question was asked before they had it")
  }

  test("one after the other, each asks for itself; so do those with another key") {
    val questions = new JointQuestions[String, Int]
    val asked = new AtomicInteger
    assert(Seq("a", "a", "b").map(questions.ask(_, never)(asked.incrementAndGet())) == Seq(1, 2, 3))
  }

  test("what the service says against a question is said to all; the end of the task that asks is its own") {
    val questions = new JointQuestions[String, Int]
    val refused = EventHubsErrors.notForTables("a")
    val first = new Held
    val killed = Background(questions.ask("hub", never) { first(); throw new IllegalStateException("killed") })
    first.begun.await()
    val waiting = new CountDownLatch(2)
    val asked = new AtomicInteger
    val others = Seq.fill(2)(Background(intercept[EventHubsException](
      questions.ask("hub", () => waiting.countDown()) { asked.incrementAndGet(); throw refused }
    )))
    waiting.await()
    first.ended.countDown()
    assert(killed.failure.getMessage == "killed")
    assert(others.map(_.result).forall(_ eq refused))
    assert(asked.get == 1)
  }

  test("a task that is cancelled does not wait for another's answer") {
    final class Cancelled extends RuntimeException
    val questions = new JointQuestions[String, Int]
    val first = new Held
    val early = Background(questions.ask("hub", never) { first(); 1 })
    first.begun.await()
    intercept[Cancelled](questions.ask("hub", () => throw new Cancelled)(2))
    first.ended.countDown()
    assert(early.result == 1)
  }
}
