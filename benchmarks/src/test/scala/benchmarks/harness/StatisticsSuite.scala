package benchmarks.harness

import testkit.TestSuite

final class StatisticsSuite extends TestSuite {

  test("the median is the middle value, or the mean of the middle two") {
    assert(Statistics.median(Seq(9, 1, 5)) == 5)
    assert(Statistics.median(Seq(9, 1, 5, 6)) == 5.5)
    assert(Statistics.median(Nil).isNaN)
  }

  test("the spread is the distance between the extremes, divided by the median") {
    assert(Statistics.spread(Seq(80, 100, 110)) == 0.3)
    assert(Statistics.spread(Seq(100)) == 0)
  }

  test("the ratio of neighbouring passes does not change when the machine slows down during the run") {
    val slowingDown = Seq(1000.0 -> 900.0, 500.0 -> 450.0, 100.0 -> 90.0, 100.0 -> 10.0, 90.0 -> 81.0)
    assert(Statistics.ratio(slowingDown) == 0.9)
  }

  test("passes under other load do not count when enough quiet passes remain") {
    val loads = Seq(0.0, 0.9, 0.1, 0.2, 0.31)
    assert(Statistics.quiet(loads)(identity) == Seq(0.0, 0.1, 0.2))
  }

  test("all passes count when there are too few quiet ones") {
    val loads = Seq(0.0, 0.9, 0.1, 0.8)
    assert(Statistics.quiet(loads)(identity) == loads)
  }
}
