package org.apache.spark.sql.eventhubs.planning

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.util.ManualTime

class TriggerDelaySuite extends AnyFunSuite {

  private val limits = TriggerLimits(minEvents = Some(10), maxDelayMillis = 1000)

  test("the first batch of a run does not wait") {
    assert(new TriggerDelay(new ManualTime).permits(1, limits))
  }

  test("a small backlog waits until it has grown") {
    val delay = new TriggerDelay(new ManualTime)
    delay.permits(10, limits)
    assert(!delay.permits(9, limits))
    assert(delay.permits(10, limits))
  }

  test("a small backlog waits until the delay since the last batch has passed, and then the delay begins anew") {
    val time = new ManualTime
    val delay = new TriggerDelay(time)
    delay.permits(10, limits)
    time.millis = 999
    assert(!delay.permits(1, limits))
    time.millis = 1000
    assert(delay.permits(1, limits))
    assert(!delay.permits(1, limits))
  }

  test("nothing to read is no batch") {
    val time = new ManualTime
    val delay = new TriggerDelay(time)
    delay.permits(10, limits)
    time.millis = 1000
    assert(delay.permits(0, limits))
    assert(delay.permits(1, limits), "the empty backlog must not have started the delay anew")
  }

  test("without a minimum nothing waits") {
    val delay = new TriggerDelay(new ManualTime)
    assert((1 to 3).forall(_ => delay.permits(1, TriggerLimits())))
  }
}
