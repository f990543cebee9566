package localhub.amqp

import testkit.TestSuite

/** Tests that name their section of the AMQP 1.0 specification: part 2 is transport, 3 messaging, 5 security. */
trait SpecTests { this: TestSuite =>

  protected def spec(section: String, sentence: String)(body: => Any): Unit =
    test(s"AMQP 1.0 section $section: $sentence")(body)
}
