package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.TimeUnit

import scala.collection.mutable

import reactor.core.publisher.Mono

import org.apache.spark.util.SystemClock
import testkit.TestSuite

class AttemptsSuite extends TestSuite {

  private val within = Duration.ofHours(1)

  test("a call without a result is overdue after its time, and a call that waits for its turn is not") {
    var now = 0L
    def later(time: Duration): Unit = now += time.toNanos
    val attempts = new Attempts(within, nanoTime = () => now)
    later(within.multipliedBy(2))
    assert(!attempts.isOverdue, "nothing runs")
    val waiting = attempts.answer(_ => Mono.never[String]()).subscribe()
    later(within)
    assert(!attempts.isOverdue, "the timer may be late")
    later(Attempts.Grace)
    assert(attempts.isOverdue)
    waiting.dispose()
    assert(!attempts.isOverdue)
  }

  test("a call that waits for its turn is not asked yet, so that nobody says that the hub does not answer") {
    val limiter = new ManagementRateLimiter(Some(1), new SystemClock, () => 0)
    limiter.nanosToTurn()
    val attempts = new Attempts(within, Some(limiter), isRoutine = true)
    val queued = attempts.answer(_ => Mono.never[String]()).subscribe()
    assert(!attempts.isAsking)
    eventually("its turn comes")(attempts.isAsking)
    queued.dispose()
    assert(!attempts.isAsking)
  }

  test("the time of an attempt grows with each lost answer, and the last attempt has the rest") {
    val times = mutable.ArrayBuffer.empty[Option[Duration]]
    val attempts = new Attempts(Duration.ofSeconds(8))
    val answer = attempts.answer { time =>
      times += time
      if (time.isEmpty) Mono.just("late") else Mono.error[String](new java.util.concurrent.TimeoutException("lost"))
    }
    assert(answer.toFuture.get(30, TimeUnit.SECONDS) == "late")
    assert(times == Seq(Some(Duration.ofSeconds(1)), Some(Duration.ofSeconds(2)), None))
  }
}
