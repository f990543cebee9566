package org.apache.spark.eventhubs.tls

import java.io.IOException
import java.security.cert.{
  CertPathBuilderException,
  CertificateException,
  CertificateExpiredException,
  CertificateNotYetValidException
}

/**
 * A server's certificate is not accepted. A new attempt gets the same answer.
 *
 * @param host    whose certificate it is, with port
 * @param problem as part of a sentence
 */
private[eventhubs] final class CertificateRefused(val host: String, val problem: String, cause: Throwable)
    extends IOException(s"the certificate of $host is not accepted: $problem", cause)

private[eventhubs] object CertificateRefused {

  private val LongestChain = 20

  /** None for a failure with another cause than the certificate. */
  def in(failed: Throwable, host: String): Option[CertificateRefused] = {
    val chain = Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty).take(LongestChain).toSeq
    val known = chain.collectFirst {
      case refused: CertificateRefused => refused.problem
      case expired: CertificateExpiredException => s"it has expired (${expired.getMessage})"
      case early: CertificateNotYetValidException => s"it is not valid yet (${early.getMessage})"
      case _: CertPathBuilderException => "its issuer is unknown to this JVM"
    }
    // Java's text names the expected name, and the certificate's names when they are few.
    val other = chain.reverseIterator.collectFirst { case refused: CertificateException => said(refused) }
    known.orElse(other.map(said => if (isName(said)) s"it is for another name ($said)" else said))
      .map(problem => new CertificateRefused(host, problem, failed))
  }

  private def said(refused: CertificateException): String =
    Option(refused.getMessage).getOrElse(refused.getClass.getSimpleName)

  private def isName(said: String): Boolean =
    said.contains(" name") && (said.startsWith("No ") || said.contains("match"))
}
