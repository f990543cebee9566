package org.apache.spark.sql.eventhubs.placement

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.rdd.OffsetRange
import testkit.TestSuite

/** The cases of Spark's Kafka range calculator, with the service's limit of five receivers on one partition. */
class OffsetRangeSplitterSuite extends TestSuite {

  private def range(partition: Int, from: Long, until: Long, at: Option[String] = None): OffsetRange =
    OffsetRange(NameAndPartition("hub", partition), from, until, at)

  private def byMinimum(wanted: Int) = new OffsetRangeSplitter(None, Some(wanted))
  private def bySize(most: Long) = new OffsetRangeSplitter(Some(most), None)

  /** Parts as (partition, from, until). */
  private def parts(split: Seq[OffsetRange]) = split.map(r => (r.partitionId, r.fromSeqNo, r.untilSeqNo))

  test("without options every range is one task, however long") {
    val ranges = Seq(range(0, 0, 5), range(1, 7, Long.MaxValue))
    assert(new OffsetRangeSplitter(None, None).split(ranges) == ranges)
  }

  test("empty ranges are left out") {
    assert(parts(byMinimum(1).split(Seq(range(0, 5, 5), range(1, 0, 3)))) == Seq((1, 0, 3)))
    assert(byMinimum(4).split(Seq(range(0, 5, 5))).isEmpty)
    assert(byMinimum(4).split(Nil).isEmpty)
  }

  test("ranges are not split when there are enough for minPartitions") {
    val ranges = Seq(range(0, 0, 1), range(1, 0, 100), range(2, 0, 5))
    assert(byMinimum(3).split(ranges) == ranges)
    assert(byMinimum(1).split(ranges) == ranges)
  }

  test("one range is split into minPartitions parts") {
    assert(parts(byMinimum(4).split(Seq(range(0, 0, 10)))) == Seq((0, 0, 2), (0, 2, 5), (0, 5, 7), (0, 7, 10)))
  }

  test("the longest ranges are split first") {
    val split = byMinimum(4).split(Seq(range(0, 0, 1), range(1, 0, 1), range(2, 0, 10)))
    assert(parts(split) == Seq((0, 0, 1), (1, 0, 1), (2, 0, 5), (2, 5, 10)))
  }

  test("short ranges stay whole while a long one is split") {
    val split = byMinimum(6).split(Seq(range(0, 0, 3), range(1, 0, 3), range(2, 0, 18)))
    assert(parts(split).count(_._1 == 2) == 4)
    assert(parts(split).filter(_._1 < 2) == Seq((0, 0, 3), (1, 0, 3)))
  }

  test("an empty range does not count for minPartitions") {
    assert(parts(byMinimum(3).split(Seq(range(0, 4, 4), range(1, 0, 9)))) == Seq((1, 0, 3), (1, 3, 6), (1, 6, 9)))
  }

  test("there are no more parts than events") {
    assert(parts(byMinimum(5).split(Seq(range(0, 7, 9)))) == Seq((0, 7, 8), (0, 8, 9)))
  }

  test("a partition never has more than five parts") {
    assert(byMinimum(100).split(Seq(range(0, 0, 1000), range(1, 0, 1000))).size == 10)
    assert(bySize(1).split(Seq(range(0, 0, 1000))).size == 5)
  }

  test("a range longer than maxEventsPerTask is split into equal parts") {
    assert(parts(bySize(4).split(Seq(range(0, 0, 10), range(1, 0, 4)))) ==
      Seq((0, 0, 3), (0, 3, 6), (0, 6, 10), (1, 0, 4)))
  }

  test("with both options the stricter one holds") {
    val both = new OffsetRangeSplitter(Some(5), Some(4))
    assert(both.split(Seq(range(0, 0, 10), range(1, 0, 3))).map(_.count) == Seq(3, 3, 4, 3))
    assert(both.split(Seq(range(0, 0, 25), range(1, 0, 3))).size == 6)
  }

  test("no event is lost or read twice, with any options") {
    val ranges = Seq(range(0, 3, 4), range(1, 100, 207), range(2, 5, 5), range(3, 0, 13))
    for (wanted <- 1 to 30; most <- Seq(1L, 2L, 7L, 50L, 1000L)) {
      val split = new OffsetRangeSplitter(Some(most), Some(wanted)).split(ranges)
      val read = split.flatMap(r => (r.fromSeqNo until r.untilSeqNo).map(r.partitionId -> _))
      val expected = ranges.flatMap(r => (r.fromSeqNo until r.untilSeqNo).map(r.partitionId -> _))
      assert(read == expected, s"for minPartitions $wanted and maxEventsPerTask $most")
      assert(split.groupBy(_.partitionId).values.forall(_.size <= 5))
      assert(split.forall(!_.isEmpty))
    }
  }

  test("sequence numbers near the end of a Long do not overflow") {
    val split = byMinimum(5).split(Seq(range(0, 0, Long.MaxValue)))
    assert(split.map(_.count).sum == Long.MaxValue)
    assert(split.zip(split.tail).forall { case (a, b) => a.untilSeqNo == b.fromSeqNo })
  }

  test("only the first part keeps the location of the cached receiver") {
    val split = byMinimum(3).split(Seq(range(0, 0, 9, at = Some("executor_host_1"))))
    assert(split.map(_.preferredLocation) == Seq(Some("executor_host_1"), None, None))
  }

  test("the next batch continues only at the end of the last part") {
    assert(byMinimum(4).split(Seq(range(0, 0, 9), range(1, 0, 1))).map(_.isFollowed) == Seq(false, false, true, true))
  }

  test("a range cannot end before it starts") {
    assert(intercept[IllegalArgumentException](range(4, 9, 8)).getMessage.contains("cannot end at 8"))
  }
}
