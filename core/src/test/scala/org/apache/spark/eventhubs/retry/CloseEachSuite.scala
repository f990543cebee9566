package org.apache.spark.eventhubs.retry

import scala.collection.mutable

import testkit.TestSuite

class CloseEachSuite extends TestSuite {

  test("all are closed, whatever fails; the first failure is thrown with the others") {
    val closed = mutable.ArrayBuffer.empty[Int]
    val (first, second) = (new IllegalStateException("first"), new OutOfMemoryError("second"))
    val failures = Map(1 -> first, 3 -> second, 4 -> first)
    val resources = (0 to 5).map { number =>
      new AutoCloseable {
        override def close(): Unit = {
          closed += number
          failures.get(number).foreach(failed => throw failed)
        }
      }
    }
    assert(intercept[IllegalStateException](CloseEach(resources)) eq first)
    assert(closed == (0 to 5))
    assert(first.getSuppressed.toSeq == Seq(second))
  }

  test("nothing to close") {
    CloseEach(Nil)
    CloseEach.steps()
  }
}
