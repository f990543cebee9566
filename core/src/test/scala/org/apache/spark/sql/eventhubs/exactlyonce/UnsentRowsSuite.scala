package org.apache.spark.sql.eventhubs.exactlyonce

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, FingerprintCounts}
import testkit.TestSuite

class UnsentRowsSuite extends TestSuite {

  private final class Changed(val events: Long) extends RuntimeException

  private final class InMemory extends RowStore {
    val rows = mutable.ArrayBuffer.empty[InternalRow]
    override def add(row: InternalRow): Unit = { rows += row.copy(); () }
    override def all(): Iterator[InternalRow] = rows.iterator
  }

  private def fingerprint(value: Int) = Fingerprint(value.toLong, -value.toLong)

  /** What is to be sent of `rows` when `sent` are in the hub, the number of rows found, and of those stored. */
  private def unsent(rows: Seq[Int], sent: Int*): (Seq[Int], Long, Int) = {
    val counts = new FingerprintCounts
    sent.foreach(value => counts.add(fingerprint(value)))
    val store = new InMemory
    val unsent = new UnsentRows(counts, row => fingerprint(row.getInt(0)), () => store, new Changed(_))
    val left = unsent.of(rows.iterator.map(InternalRow(_))).map(_.getInt(0)).toList
    (left, unsent.found, store.rows.length)
  }

  test("a first attempt sends all rows") {
    assert(unsent(Seq(1, 2, 1)) == ((Seq(1, 2, 1), 0, 0)))
  }

  test("rows that were sent are left out as often as they were sent, and the others keep their order") {
    assert(unsent(Seq(1, 2, 1, 3, 1, 4), 1, 3) == ((Seq(2, 1, 1, 4), 2, 2)))
  }

  test("rows that come in the earlier order are not stored") {
    assert(unsent(1 to 1000, 1 to 900: _*) == ((901 to 1000, 900, 0)))
  }

  test("no row is returned when some that were sent are missing, or when fewer equal ones are there") {
    assert(intercept[Changed](unsent(Seq(1, 2, 3), 4, 4, 1)).events == 2)
    assert(intercept[Changed](unsent(Seq(1, 1, 3), 1, 1, 1)).events == 1)
    assert(intercept[Changed](unsent(Nil, 1)).events == 1)
  }
}
