package testkit

import org.scalatest.concurrent.{Signaler, ThreadSignaler, TimeLimitedTests}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Minutes, Span}

/** The base class of all Scala suites. A test that takes longer than `timeLimit` is interrupted and fails. */
abstract class TestSuite extends AnyFunSuite with TimeLimitedTests with Eventually {

  override def timeLimit: Span = Span(5, Minutes)

  override val defaultTestSignaler: Signaler = ThreadSignaler
}
