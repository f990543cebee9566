package org.apache.spark.eventhubs.rest

import java.io.IOException
import java.nio.channels.UnresolvedAddressException
import java.time.Duration
import java.util.concurrent.TimeoutException

import com.azure.core.exception.ClientAuthenticationException

import org.apache.spark.eventhubs.proxy.ProxyRefusedException
import org.apache.spark.eventhubs.signin.{SignInRefusedException, SignInUnreachableException}
import org.apache.spark.eventhubs.tls.CertificateRefused
import org.apache.spark.eventhubs.{ErrorConditions, EventHubName, EventHubsErrors, EventHubsException}

/**
 * The namespace answered a request with a status that is no success.
 *
 * @param said       empty, or what the answer says, after a colon
 * @param retryAfter when the service wants the next attempt
 */
private[eventhubs] final class RefusedRequest(val status: Int, said: String, val retryAfter: Option[Duration] = None)
    extends RuntimeException(s"status $status$said")

/** The answer to a request is something else than was asked for. */
private[eventhubs] final class UnexpectedAnswer(message: String, cause: Option[Throwable] = None)
    extends RuntimeException(message, cause.orNull)

/** Why a request to a namespace failed. */
private[eventhubs] sealed trait RestFailure

private[eventhubs] object RestFailure {
  case object Denied extends RestFailure
  case object Unreachable extends RestFailure
  case object Other extends RestFailure
}

private[eventhubs] object RestFailures {

  private val Transient = Set(408, 429, 500, 502, 503, 504)
  private val LongestChain = 20

  def isTransient(failed: Throwable): Boolean = cause(failed) match {
    case refused: RefusedRequest => Transient(refused.status)
    case _: CertificateRefused => false
    case proxy: ProxyRefusedException => !proxy.isFinal
    case _: IOException | _: TimeoutException => true
    case _ => false
  }

  /** When the service wants the next attempt, if it says so. */
  def retryAfter(failed: Throwable): Option[Duration] = cause(failed) match {
    case refused: RefusedRequest => refused.retryAfter
    case _ => None
  }

  /**
   * Translates to an error that users can meet. What concerns the way to the service is explained here.
   *
   * @param error makes the caller's error from the kind of the failure, what was said, and the cause
   */
  def translate(failed: Throwable, hub: EventHubName, doing: String)(
      error: (RestFailure, String, Throwable) => EventHubsException
  ): Throwable = {
    def ofKind(kind: RestFailure, cause: Throwable) = {
      val said = Option(cause.getMessage).getOrElse(cause.getClass.getSimpleName)
      error(kind, ErrorConditions.withoutSecrets(said), cause)
    }
    cause(failed) match {
      case known: EventHubsException => known
      case stopped: InterruptedException => stopped
      case refused: RefusedRequest if refused.status == 401 || refused.status == 403 =>
        ofKind(RestFailure.Denied, refused)
      case refused: RefusedRequest =>
        ofKind(if (Transient(refused.status)) RestFailure.Unreachable else RestFailure.Other, refused)
      case denied @ (_: SignInRefusedException | _: ClientAuthenticationException) =>
        ofKind(RestFailure.Denied, denied)
      case certificate: CertificateRefused =>
        EventHubsErrors.certificate(hub, doing, certificate.host, certificate.problem, certificate)
      case refused: ProxyRefusedException =>
        EventHubsErrors.proxy(hub, doing, refused.proxy, ErrorConditions.withoutSecrets(refused.said), Some(refused))
      case signIn: SignInUnreachableException =>
        EventHubsErrors.unreachableSignIn(hub, doing, ErrorConditions.withoutSecrets(signIn.getMessage), signIn)
      case network @ (_: IOException | _: UnresolvedAddressException | _: TimeoutException) =>
        ofKind(RestFailure.Unreachable, network)
      case other => ofKind(RestFailure.Other, other)
    }
  }

  /** The SDK wraps what it meets. */
  private def cause(failed: Throwable): Throwable = {
    val chain = Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty).take(LongestChain).toSeq
    chain.collectFirst {
      case known @ (_: EventHubsException | _: InterruptedException | _: RefusedRequest | _: CertificateRefused |
          _: SignInRefusedException | _: ClientAuthenticationException | _: IOException |
          _: UnresolvedAddressException | _: TimeoutException) => known
    }.getOrElse(failed)
  }
}
