package org.apache.spark.eventhubs.retry

import java.time.Duration

import testkit.TestSuite

class BackOffSuite extends TestSuite {

  private def backOff(random: Double) = new BackOff(Duration.ofMillis(50), Duration.ofSeconds(5), () => random)

  test("the pause doubles with each failure, up to the longest") {
    assert((1 to 5).map(backOff(random = 0.5).millis) == Seq(50, 100, 200, 400, 800))
    assert(backOff(random = 0.5).millis(50) == 5000)
    assert(backOff(random = 0.5).nanos(1) == Duration.ofMillis(50).toNanos)
  }

  test("a pause varies by a fifth in both directions") {
    assert((1 to 2).map(backOff(random = 0).millis) == Seq(40, 80))
    assert((1 to 2).map(backOff(random = 1).millis) == Seq(60, 120))
  }

  test("sending starts with 100 ms, receiving with 50 ms; both vary") {
    val sending = Seq.fill(100)(BackOff.ForSending.millis(1))
    val receiving = Seq.fill(100)(BackOff.ForReceiving.millis(1))
    assert(sending.forall(millis => millis >= 80 && millis <= 120) && sending.distinct.length > 1)
    assert(receiving.forall(millis => millis >= 40 && millis <= 60) && receiving.distinct.length > 1)
  }
}
