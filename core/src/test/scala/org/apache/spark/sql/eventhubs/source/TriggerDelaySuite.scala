package org.apache.spark.sql.eventhubs.source

import org.apache.spark.sql.eventhubs.planning.TriggerLimits
import org.apache.spark.util.ManualTime
import testkit.TestSuite

class TriggerDelaySuite extends TestSuite {

  private val limits = TriggerLimits(minEvents = Some(10), maxDelayMillis = 1000)

  test("the first batch of a run is not delayed") {
    assert(new TriggerDelay(new ManualTime).isDue(1, limits))
  }

  test("a small backlog waits until there are enough events") {
    val delay = new TriggerDelay(new ManualTime)
    delay.isDue(10, limits)
    assert(!delay.isDue(9, limits))
    assert(delay.isDue(10, limits))
  }

  test("a small backlog waits until the delay since the last batch has passed, and then the delay starts again") {
    val time = new ManualTime
    val delay = new TriggerDelay(time)
    delay.isDue(10, limits)
    time.millis = 999
    assert(!delay.isDue(1, limits))
    time.millis = 1000
    assert(delay.isDue(1, limits))
    assert(!delay.isDue(1, limits))
  }

  test("an empty backlog does not count as a batch") {
    val time = new ManualTime
    val delay = new TriggerDelay(time)
    delay.isDue(10, limits)
    time.millis = 1000
    assert(delay.isDue(0, limits))
    assert(delay.isDue(1, limits), "the empty backlog must not restart the delay")
  }

  test("without a minimum nothing waits") {
    val delay = new TriggerDelay(new ManualTime)
    assert((1 to 3).forall(_ => delay.isDue(1, TriggerLimits())))
  }
}
