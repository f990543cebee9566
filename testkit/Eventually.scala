package testkit

import org.scalatest.concurrent.{Eventually => ScalaTestEventually}
import org.scalatest.time.{Millis, Seconds, Span}

/** Waits for conditions, at most a minute: the one `eventually` of all suites. */
trait Eventually extends ScalaTestEventually {

  // Long, because a busy machine is no reason to fail; a condition that holds ends the wait at once.
  implicit override def patienceConfig: PatienceConfig = PatienceConfig(Span(60, Seconds), Span(5, Millis))

  /** @param what the condition in words, for the failure */
  def eventually(what: => String)(condition: => Boolean): Unit = eventually(assert(condition, what))
}

object Eventually extends Eventually
