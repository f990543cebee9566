package org.apache.spark.eventhubs.rdd

import scala.collection.mutable

import org.apache.spark.eventhubs.NameAndPartition
import testkit.TestSuite

class RangeSequenceSuite extends TestSuite {

  private val opened = mutable.Buffer.empty[String]

  private def sequence(partitions: Int*): Iterator[String] = {
    opened.clear()
    val ranges = partitions.zipWithIndex.map { case (partition, index) =>
      OffsetRange(NameAndPartition("hub", partition), index.toLong, index + 1L)
    }
    new RangeSequence(ranges)(range => {
      opened += s"${range.partitionId}-${range.fromSeqNo}"
      opened.last
    })
  }

  test("ranges come in their order, each opened once") {
    assert(sequence(3, 4, 5).toSeq == Seq("3-0", "4-1", "5-2"))
    assert(opened == Seq("3-0", "4-1", "5-2"))
    assert(sequence().isEmpty && opened.isEmpty)
  }

  test("the next range is opened when one begins, and no other") {
    val ranges = sequence(3, 4, 5)
    assert(opened.isEmpty)
    ranges.next()
    assert(opened == Seq("3-0", "4-1"))
    ranges.next()
    assert(opened == Seq("3-0", "4-1", "5-2"))
    ranges.next()
    assert(opened.size == 3 && !ranges.hasNext)
  }
}
