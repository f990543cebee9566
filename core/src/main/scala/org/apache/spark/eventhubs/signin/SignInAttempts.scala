package org.apache.spark.eventhubs.signin

import java.time.Duration

/**
 * What became of the attempts to get a token of one scope. Callers whose own time is over before the answer comes have
 * only a timeout, and ask here for the cause. Thread-safe.
 *
 * @param unanswered the failure of an attempt that has waited for this long
 * @param nanos      a clock that never goes back
 */
private[signin] final class SignInAttempts(unanswered: Duration => Throwable, nanos: () => Long) {

  import SignInAttempts._

  // Guarded by `this`.
  private var waiting = Set.empty[Attempt]
  private var lastToken = Option.empty[Long]
  private var failure = Option.empty[Failed]

  def begin(): Attempt = synchronized {
    val attempt = new Attempt
    waiting += attempt
    attempt
  }

  /**
   * Why there is no token: how the last attempt failed, or that one still waits. None when an attempt that began later
   * gave a token.
   *
   * @param within how long ago an attempt may have failed
   */
  def lastFailure(within: Duration): Option[Throwable] = synchronized {
    failure.filter(nanos() - _.atNanos <= within.toNanos).map(_.cause)
      .orElse(waiting.find(attempt => attempt.isLong && attempt.isNews).map(_.noAnswer))
  }

  final class Attempt {

    private[SignInAttempts] val begunNanos: Long = nanos()

    def gaveToken(): Unit = end {
      lastToken = Some(nanos())
      failure = None
    }

    def failed(cause: Throwable): Unit = end(fail(cause))

    /** Nobody waits for it any more. A query that ends may abandon any attempt, so a short one says nothing. */
    def abandoned(): Unit = end(if (isLong) fail(noAnswer))

    private def end(note: => Unit): Unit = SignInAttempts.this.synchronized {
      waiting -= this
      note
    }

    private def fail(cause: Throwable): Unit = if (isNews) failure = Some(Failed(nanos(), cause))

    /** Whether it began after the last attempt that gave a token had ended. */
    private[SignInAttempts] def isNews: Boolean = lastToken.forall(_ - begunNanos < 0)

    private[SignInAttempts] def isLong: Boolean = waited.compareTo(ShortestAttempt) >= 0

    private[SignInAttempts] def noAnswer: Throwable = unanswered(waited)

    private def waited: Duration = Duration.ofNanos(nanos() - begunNanos)
  }
}

private object SignInAttempts {

  /** A little less than the shortest time that the SDK gives an attempt to connect, which is a second. */
  private val ShortestAttempt = Duration.ofMillis(900)

  private final case class Failed(atNanos: Long, cause: Throwable)
}
