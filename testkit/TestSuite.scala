package testkit

import org.scalatest.concurrent.{Signaler, ThreadSignaler, TimeLimitedTests}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Minutes, Span}
import org.scalatest.{Canceled, Outcome}

/** The base class of all Scala suites. A test that takes longer than `timeLimit` is interrupted and fails. */
abstract class TestSuite extends AnyFunSuite with TimeLimitedTests with Eventually {

  override def timeLimit: Span = Patience(5, Minutes)

  override val defaultTestSignaler: Signaler = ThreadSignaler

  override def withFixture(test: NoArgTest): Outcome =
    NotOnStrict.reason(test.tags).fold(super.withFixture(test))(Canceled(_))
}
