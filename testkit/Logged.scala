package testkit

import java.io.{ByteArrayOutputStream, PrintStream}

/** What code logs. The logger of the suites writes to stderr. */
object Logged {

  /** What is logged while `body` runs, in all threads. */
  def by(body: => Unit): String = {
    val bytes = new ByteArrayOutputStream
    val before = System.err
    System.setErr(new PrintStream(bytes, true))
    try body
    finally System.setErr(before)
    bytes.toString
  }
}
