package benchmarks.harness

import org.scalatest.funsuite.AnyFunSuite

final class StatisticsSuite extends AnyFunSuite {

  test("the median is the middle value, or the mean of the middle two") {
    assert(Statistics.median(Seq(9, 1, 5)) == 5)
    assert(Statistics.median(Seq(9, 1, 5, 6)) == 5.5)
    assert(Statistics.median(Nil).isNaN)
  }

  test("the spread is the distance between the extremes, as a part of the median") {
    assert(Statistics.spread(Seq(80, 100, 110)) == 0.3)
    assert(Statistics.spread(Seq(100)) == 0)
  }

  test("a ratio is that of neighbours: a machine that slows down during the run does not change it") {
    val slowingDown = Seq(1000.0 -> 900.0, 500.0 -> 450.0, 100.0 -> 90.0, 100.0 -> 10.0, 90.0 -> 81.0)
    assert(Statistics.ratio(slowingDown) == 0.9)
  }

  test("passes under outside load do not count, as long as enough quiet ones are left") {
    val loads = Seq(0.0, 0.9, 0.1, 0.2, 0.31)
    assert(Statistics.quiet(loads)(identity) == Seq(0.0, 0.1, 0.2))
  }

  test("with too few quiet passes all of them count") {
    val loads = Seq(0.0, 0.9, 0.1, 0.8)
    assert(Statistics.quiet(loads)(identity) == loads)
  }
}
