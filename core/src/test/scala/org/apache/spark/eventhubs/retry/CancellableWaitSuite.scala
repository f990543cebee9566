package org.apache.spark.eventhubs.retry

import java.time.Duration

import org.apache.spark.eventhubs.Background
import org.apache.spark.util.{ManualTime, SystemClock}
import testkit.TestSuite

class CancellableWaitSuite extends TestSuite {

  private val never = () => ()

  test("waits as long as asked, and not at all for no time") {
    val clock = new ManualTime
    CancellableWait(clock, Duration.ofMillis(1234).toNanos, never)
    assert(clock.millis == 1234)
    CancellableWait(clock, 0, never)
    assert(clock.millis == 1234)
    CancellableWait(clock, 1, never)
    assert(clock.millis == 1235, "a clock waits for whole milliseconds")
  }

  test("a cancelled task stops waiting within 200 ms") {
    final class Cancelled extends RuntimeException
    val clock = new ManualTime
    val cancelledAt = 1001L
    intercept[Cancelled](CancellableWait(
      clock,
      Duration.ofMinutes(1).toNanos,
      () => if (clock.millis >= cancelledAt) throw new Cancelled
    ))
    assert(clock.millis - cancelledAt < 200)
  }

  test("an interrupted thread stops waiting at once") {
    val task = Background(CancellableWait(new SystemClock, Duration.ofMinutes(1).toNanos, never))
    task.interrupt()
    assert(task.failure.isInstanceOf[InterruptedException])
  }

  test("a clock that is set back does not make the wait longer") {
    val readBeforeTheStep = new SystemClock {
      override def getTimeMillis(): Long = super.getTimeMillis() + Duration.ofHours(1).toMillis
    }
    Background(CancellableWait(readBeforeTheStep, Duration.ofMillis(1).toNanos, never)).result
  }
}
