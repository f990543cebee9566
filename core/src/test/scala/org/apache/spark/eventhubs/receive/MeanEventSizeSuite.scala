package org.apache.spark.eventhubs.receive

import testkit.TestSuite

class MeanEventSizeSuite extends TestSuite {

  private def learned(size: MeanEventSize): Long = math.round(size.mean.getOrElse(fail("no mean")))

  test("nothing is known before the first event") {
    val size = new MeanEventSize
    size.add(0, 0)
    size.addTotals(0, 0)
    assert(size.mean.isEmpty)
  }

  test("a larger mean counts at once, a smaller one for three tenths") {
    val size = new MeanEventSize
    val means = Seq(10 -> 1000, 10 -> 2000, 10 -> 1000).map { case (events, bytes) =>
      size.add(events.toLong, bytes.toLong)
      learned(size)
    }
    assert(means == Seq(100, 200, 170))
  }

  test("four samples of small events take the mean below a quarter, three do not") {
    val size = new MeanEventSize
    size.add(1, 1000)
    (1 to 3).foreach(_ => size.add(1, 0))
    assert(learned(size) == 343)
    size.add(1, 0)
    assert(learned(size) == 240)
  }

  test("of running totals only the new events count, and the same totals count once") {
    val size = new MeanEventSize
    size.addTotals(10, 1000)
    size.addTotals(20, 3000)
    assert(learned(size) == 200)
    (1 to 2).foreach(_ => size.addTotals(30, 4000))
    assert(learned(size) == 170)
  }
}
