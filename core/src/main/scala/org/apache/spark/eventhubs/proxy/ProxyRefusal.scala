package org.apache.spark.eventhubs.proxy

/**
 * A proxy that opened no connection, as the SDK's text tells it.
 *
 * @param said    the reason, as part of a sentence
 * @param isFinal whether a retry cannot succeed, because the sign-in does not fit the proxy
 */
private[eventhubs] final case class ProxyRefusal(said: String, isFinal: Boolean)

private[eventhubs] object ProxyRefusal {

  /** With the challenges of a 407, or with an [[Answer]]. */
  private val Refused = "(?i)proxy connect request failed with error: ?([^,]*)".r

  /** An answer, which the SDK shows without its status: `...ProxyResponseImpl@1b2c3d`. */
  private val Answer = "ProxyResponseImpl@"

  /** Why the SDK closes a connection that the proxy has opened. */
  val NeedlessSignIn = "it asks for no sign-in, but one is configured; remove the sign-in"

  /** The SDK says a refusal in these words when no [[Refused]] is in the text. */
  private val NonMatching = "(?i)using non-matching proxy authentication".r

  private val Closed = "(?i)proxy server closed the connection".r

  /**
   * None for a text about something else. The text has the status of no refusal but a 407, so the others count as
   * transient: a 502 may pass. `ProxyProbe` sees the status before a query starts.
   */
  def in(text: String): Option[ProxyRefusal] =
    Refused.findFirstMatchIn(text).map { found =>
      val challenges = found.group(1)
      ProxyRefusal(text, isFinal = challenges.nonEmpty && !challenges.contains(Answer))
    }.orElse(
      NonMatching.findFirstIn(text).map(_ => ProxyRefusal(s"$NeedlessSignIn: $text", isFinal = true))
    ).orElse(Closed.findFirstIn(text).map(_ => ProxyRefusal(text, isFinal = false)))
}
