package org.apache.spark.eventhubs.rdd

import java.time.Duration

import org.apache.spark.util.ManualTime
import testkit.TestSuite

class IdleTimerSuite extends TestSuite {

  private val time = new ManualTime

  private def idle(random: Double = 0.5) =
    new IdleTimer(Duration.ofSeconds(3), Duration.ofSeconds(30), time.millis, () => random)

  /** When the next `count` questions are asked. */
  private def questions(idle: IdleTimer, count: Int): Seq[Long] = Seq.fill(count) {
    time.advance(Duration.ofMillis(idle.millisToQuestion(time.millis)))
    idle.asked(time.millis)
    time.millis
  }

  test("the intervals between questions grow up to the longest") {
    assert(questions(idle(), 6) == Seq(3000, 9000, 21000, 45000, 75000, 105000))
  }

  test("the intervals of different tasks differ by up to a fifth to both sides") {
    assert(idle(random = 0).millisToQuestion(time.millis) == 2400 && idle(random =
      1
    ).millisToQuestion(time.millis) == 3600)
  }

  test("with an event the intervals start again, counted from the event") {
    val one = idle()
    questions(one, 4)
    time.advance(Duration.ofSeconds(1))
    one.restart(time.millis)
    assert(one.millis(time.millis) == 0 && one.millisToQuestion(time.millis) == 3000)
    one.restart(time.millis - 2000)
    assert(one.millis(time.millis) == 2000 && one.millisToQuestion(time.millis) == 1000)
  }

  test("an urgent question comes early, and its intervals grow again") {
    val one = idle()
    questions(one, 4)
    one.askWithin(time.millis, 500)
    assert(one.millisToQuestion(time.millis) == 500)
    val asked = questions(one, 2)
    assert(asked(1) - asked(0) == 6000)
  }
}
