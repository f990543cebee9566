package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.NameAndPartition
import testkit.TestSuite

class RecentEventsSuite extends TestSuite {

  private val partition = NameAndPartition("telemetry", 0)
  private def event(seqNo: Long, offset: String) = LastEvent(partition, seqNo, offset)

  test("the last event before the end of a batch is found, also when the next batch has ended") {
    val recent = Seq(event(9, "a"), event(4, "b"), event(19, "c")).foldLeft(RecentEvents.Empty)(_ + _)
    assert(recent.lastBefore(partition, 10).contains(event(9, "a")))
    assert(recent.lastBefore(partition, 20).contains(event(19, "c")))
    assert(recent.lastBefore(partition, 4).isEmpty)
    assert(recent.lastBefore(NameAndPartition("telemetry", 1), 10).isEmpty)
  }

  test("a number that comes again has the newer offset, as in a recreated hub") {
    val recent = RecentEvents.Empty + event(9, "old") + event(9, "new")
    assert(recent.lastBefore(partition, 10).contains(event(9, "new")))
  }

  test("few events are kept, and the reports of tasks add up") {
    val many = (0 until 1000).map(number => event(number.toLong, s"o$number"))
    val recent = many.foldLeft(RecentEvents.Empty)(_ + _) ++ (RecentEvents.Empty + event(2000, "o2000"))
    assert(recent.byPartition(partition).size == RecentEvents.PerPartition)
    assert(recent.lastBefore(partition, 2001).contains(event(2000, "o2000")))
  }
}
