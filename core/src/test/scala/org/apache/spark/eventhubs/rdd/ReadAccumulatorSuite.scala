package org.apache.spark.eventhubs.rdd

import testkit.TestSuite

class ReadAccumulatorSuite extends TestSuite {

  private def report(partition: Int, lastEnqueued: Option[Long]) =
    RangeReport(
      partition,
      events = 2,
      bytes = 10,
      waitedMillis = 5,
      linksOpened = 1,
      throttled = 3,
      lastEnqueuedMillis = lastEnqueued
    )

  test("reports of tasks add up, and the latest enqueued time wins") {
    val one = new ReadAccumulator
    one.add(report(0, Some(50)))
    one.add(report(0, Some(40)))
    one.addLost(7)
    val other = new ReadAccumulator
    other.add(report(0, Some(60)))
    other.add(report(1, None))
    one.merge(other)
    assert(one.value == ReadTotals(8, 40, linksOpened = 4, throttled = 12, lost = 7, Map(0 -> 60L)))
  }

  test("a copy is independent, and a reset one is zero") {
    val one = new ReadAccumulator
    one.add(report(0, Some(50)))
    val copy = one.copy()
    copy.reset()
    assert(copy.isZero && !one.isZero)
  }
}
