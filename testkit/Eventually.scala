package testkit

import org.scalatest.Assertions
import org.scalatest.concurrent.{Eventually => ScalaTestEventually}
import org.scalatest.time.{Millis, Seconds, Span}

/** Waits for conditions, at most a minute: the one `eventually` of all suites. */
trait Eventually extends ScalaTestEventually {

  // Long, because a busy machine is no reason to fail; a condition that holds ends the wait at once.
  implicit override def patienceConfig: PatienceConfig = PatienceConfig(Patience(60, Seconds), Span(5, Millis))

  /**
   * Waits until the condition is true. What it throws is thrown at once, unlike by ScalaTest's form.
   *
   * @param what the condition in words, for the failure
   */
  def eventually(what: => String)(condition: => Boolean): Unit = {
    val deadline = System.nanoTime() + patienceConfig.timeout.toNanos
    while (!condition) {
      if (System.nanoTime() > deadline) Assertions.fail(s"not true within ${patienceConfig.timeout}: $what")
      Thread.sleep(patienceConfig.interval.toMillis)
    }
  }
}

object Eventually extends Eventually
