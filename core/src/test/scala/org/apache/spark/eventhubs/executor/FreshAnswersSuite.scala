package org.apache.spark.eventhubs.executor

import org.apache.spark.util.ManualTime
import testkit.TestSuite

class FreshAnswersSuite extends TestSuite {

  private val time = new ManualTime
  private var asked = Seq.empty[String]
  private val answers = new FreshAnswers[String, Int](freshMillis = 60000, maxKeys = 2, time)

  private def ask(key: String): Int = answers.of(key) {
    asked :+= key
    asked.size
  }

  test("an answer is asked for again after a minute") {
    assert(ask("a") == 1)
    time.millis = 59999
    assert(ask("a") == 1)
    time.millis = 60000
    assert(ask("a") == 2)
  }

  test("a failure is not remembered") {
    intercept[IllegalStateException](answers.of("failed")(throw new IllegalStateException))
    assert(answers.of("failed")(7) == 7)
  }

  test("what was asked first is forgotten first") {
    Seq("x", "y", "z", "z", "x").foreach(ask)
    assert(asked.takeRight(4) == Seq("x", "y", "z", "x"))
  }
}
