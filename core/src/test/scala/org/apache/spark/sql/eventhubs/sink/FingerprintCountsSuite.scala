package org.apache.spark.sql.eventhubs.sink

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.eventhubs.exactlyonce.AlreadyWrittenCounts
import testkit.TestSuite

class FingerprintCountsSuite extends TestSuite {

  private val one = Fingerprint(1, 1)
  private val other = Fingerprint(2, 1)

  test("a fingerprint can be taken as often as it was added") {
    val counts = new FingerprintCounts
    assert(counts.left == 0 && !counts.take(one))
    assert(counts.add(one) == 0 && counts.add(one, 2) == 1)
    assert(Seq.fill(4)(counts.take(one)) == Seq(true, true, true, false))
    assert(!counts.take(other))
    assert(counts.left == 0)
  }

  test("those that are left are counted, whatever their fingerprint") {
    val counts = new FingerprintCounts
    counts.add(one, 3)
    counts.add(other, 5)
    assert(counts.left == 8)
    counts.take(one)
    assert(counts.left == 7)
  }

  test("the table counts like a map while it grows") {
    val random = new Random(7)
    val counts = new FingerprintCounts
    val expected = mutable.Map.empty[Fingerprint, Int].withDefaultValue(0)
    (0 until 50000).foreach { _ =>
      val fingerprint = Fingerprint(random.nextInt(100).toLong, random.nextInt(300).toLong)
      if (random.nextInt(3) == 0) {
        assert(counts.take(fingerprint) == expected(fingerprint) > 0)
        expected(fingerprint) = math.max(0, expected(fingerprint) - 1)
      } else {
        counts.add(fingerprint)
        expected(fingerprint) += 1
      }
    }
    assert(counts.left == expected.values.sum)
  }

  test("of equal rows, the found ones are assigned to the first tasks") {
    val rows = Seq(3 -> 1L, 1 -> 2L, 2 -> 4L)
    assert(AlreadyWrittenCounts.shares(rows, 0).isEmpty)
    assert(AlreadyWrittenCounts.shares(rows, 3) == Seq(1 -> 2L, 2 -> 1L))
    assert(AlreadyWrittenCounts.shares(rows, 9) == Seq(1 -> 2L, 2 -> 4L, 3 -> 1L))
  }

  test("equal rows are one entry for the shuffle, and different ones need little memory") {
    assert(AlreadyWrittenCounts.counted(Iterator.fill(1000000)(one)).toSeq == Seq(one -> 1000000L))
    val counts = AlreadyWrittenCounts.counted(Iterator.tabulate(30000)(_ % 15000)).toSeq
    assert(counts.map(_._2).sum == 30000 && counts.map(_._1).toSet.size == 15000)
    assert(AlreadyWrittenCounts.counted(Iterator.empty).isEmpty)
  }
}
