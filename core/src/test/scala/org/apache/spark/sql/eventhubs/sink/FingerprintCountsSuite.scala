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
    assert(counts.isEmpty && !counts.take(one))
    assert(counts.add(one) == 0 && counts.add(one, 2) == 1)
    assert(Seq.fill(4)(counts.take(one)) == Seq(true, true, true, false))
    assert(!counts.take(other))
    assert(!counts.isEmpty)
  }

  test("unmatched and surplus fingerprints are counted apart") {
    val counts = new FingerprintCounts
    counts.add(one, 3)
    counts.add(other, 5)
    assert(counts.unmatched == 8 && counts.surplus == 0)
    counts.take(one)
    assert(counts.unmatched == 5 && counts.surplus == 2)
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
    assert(counts.unmatched + counts.surplus == expected.values.sum)
  }

  test("of equal rows, the found ones are assigned to the first tasks") {
    assert(AlreadyWrittenCounts.shares(Seq(3, 1, 1, 2), 0).isEmpty)
    assert(AlreadyWrittenCounts.shares(Seq(3, 1, 1, 2), 3).toSet == Set(1 -> 2, 2 -> 1))
    assert(AlreadyWrittenCounts.shares(Seq(3, 1, 1, 2), 9).toSet == Set(1 -> 2, 2 -> 1, 3 -> 1))
  }
}
