package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.connection.LinkDrain
import testkit.TestSuite

class EmptyAnswersSuite extends TestSuite {

  private val (patience, listen) = (3000L, 10000L)

  /** A question on an open link, to which events came for as long as a silence would have to last. */
  private def askedOfBusyLink(): EmptyAnswers = {
    val drain = new LinkDrain
    drain.bind(() => ())
    val answers = new EmptyAnswers(drain, patience, listen)
    answers.ask()
    (0L to listen by 1000L).foreach(now => answers.check(now, expected = now))
    answers
  }

  test("a service that has not answered yet and sends events for long is taken for one that does not answer") {
    val answers = askedOfBusyLink()
    assert(!answers.isIgnored(listen - 1, answersDrain = false) && answers.isIgnored(listen, answersDrain = false))
  }

  test("a service that has answered before sends its events first, however many they are") {
    assert(!askedOfBusyLink().isIgnored(listen, answersDrain = true))
  }

  test("a service that has answered before is not waited for when it sends nothing") {
    assert(askedOfBusyLink().isIgnored(listen + patience, answersDrain = true))
  }
}
