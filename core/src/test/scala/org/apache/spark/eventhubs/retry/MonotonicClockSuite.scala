package org.apache.spark.eventhubs.retry

import java.util.concurrent.TimeUnit

import testkit.TestSuite

class MonotonicClockSuite extends TestSuite {

  private val clock = new MonotonicClock

  test("its milliseconds are those of a timer that no one sets, and never 0") {
    val before = System.nanoTime()
    val first = clock.getTimeMillis()
    val second = new MonotonicClock().getTimeMillis()
    val passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before)
    assert(first > 0 && second - first >= 0 && second - first <= passed + 1)
  }

  test("it waits until its own time, and not for a time that has passed") {
    val end = clock.getTimeMillis() + 5
    assert(clock.waitTillTime(end) >= end)
    assert(clock.waitTillTime(end - 1000000) >= end)
  }

  test("a wait can be interrupted") {
    Thread.currentThread().interrupt()
    intercept[InterruptedException](clock.waitTillTime(clock.getTimeMillis() + 60000))
  }
}
