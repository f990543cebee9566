package testkit

import java.io.{ByteArrayOutputStream, PrintStream}

/** What code logs. The logger of the suites writes to stderr. */
object Logged {

  /** What is logged while `body` runs, in all threads. */
  def by(body: => Unit): String = during { logged =>
    body
    logged()
  }

  /** Runs `body`, which may ask at any time what was logged since it began. */
  def during[A](body: (() => String) => A): A = {
    val bytes = new ByteArrayOutputStream
    val before = System.err
    System.setErr(new PrintStream(bytes, true))
    try body(() => bytes.toString)
    finally System.setErr(before)
  }
}
