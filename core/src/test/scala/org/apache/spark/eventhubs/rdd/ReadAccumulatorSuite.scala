package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.NameAndPartition
import testkit.TestSuite

class ReadAccumulatorSuite extends TestSuite {

  private def report(partition: Int, lastEnqueued: Option[Long], hub: String = "hub") =
    RangeReport(
      NameAndPartition(hub, partition),
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
    one.addLost("hub", 7)
    one.addLost("other", 2)
    val other = new ReadAccumulator
    other.add(report(0, Some(60)))
    other.add(report(1, None))
    other.addLost("hub", 1)
    other.add(report(0, Some(10), hub = "other"))
    one.merge(other)
    assert(one.value == ReadTotals(
      10,
      50,
      linksOpened = 5,
      throttled = 15,
      lostByHub = Map("hub" -> 8L, "other" -> 2L),
      Map(NameAndPartition("hub", 0) -> 60L, NameAndPartition("other", 0) -> 10L)
    ))
    assert(one.value.lost == 10)
  }

  test("the text that Spark keeps with each task does not grow with the partitions") {
    val totals = new ReadAccumulator
    (0 until 1000).foreach { partition =>
      val last = LastEvent(NameAndPartition("hub", partition), 9, "900")
      totals.add(report(partition, Some(50)).copy(lastEvent = Some(last)))
    }
    assert(totals.value.toString == "2000 events, 10000 bytes, 0 lost")
  }

  test("a copy is independent, and a reset one is zero") {
    val one = new ReadAccumulator
    one.add(report(0, Some(50)))
    val copy = one.copy()
    copy.reset()
    assert(copy.isZero && !one.isZero)
  }
}
