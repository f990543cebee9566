package org.apache.spark.eventhubs.listing

import java.io.IOException
import java.nio.channels.UnresolvedAddressException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.TimeoutException

import com.azure.core.exception.ClientAuthenticationException

import org.apache.spark.eventhubs.ErrorCondition.HubList
import org.apache.spark.eventhubs.proxy.ProxyRefusedException
import org.apache.spark.eventhubs.signin.{SignInRefusedException, SignInUnreachableException}
import org.apache.spark.eventhubs.tls.CertificateRefused
import org.apache.spark.eventhubs.{ErrorConditions, EventHubName, EventHubsErrors, EventHubsException}

/** The service answered something else than a list. */
private[listing] final class RefusedListing(val status: Int, body: Array[Byte])
    extends RuntimeException(s"status $status${RefusedListing.said(body)}")

private object RefusedListing {

  private val Detail = "(?s)<Detail>(.*?)</Detail>".r.unanchored

  /** The service appends its own tracking ids. */
  def said(body: Array[Byte]): String = new String(body, UTF_8) match {
    case Detail(text) => s": ${text.replaceFirst("\\s*TrackingId:.*", "").trim}"
    case _ => ""
  }
}

private[listing] final class NoListing(cause: Throwable)
    extends RuntimeException("the answer is no list of event hubs", cause)

/**
 * Translates failures of a list of event hubs to the connector's error conditions.
 *
 * @param hub whose name is the query's pattern
 */
private[listing] final class ListingFailures(hub: EventHubName, address: String) {
  import ListingFailures._

  def isTransient(failed: Throwable): Boolean = cause(failed) match {
    case refused: RefusedListing => Transient(refused.status)
    case _: CertificateRefused => false
    case proxy: ProxyRefusedException => !proxy.isFinal
    case _: IOException | _: TimeoutException => true
    case _ => false
  }

  def translate(failed: Throwable): Throwable = cause(failed) match {
    case known: EventHubsException => known
    case stopped: InterruptedException => stopped
    case refused: RefusedListing if refused.status == 401 || refused.status == 403 =>
      error(HubList.Authentication, refused)
    case refused: RefusedListing =>
      error(if (Transient(refused.status)) HubList.Unreachable else HubList.Service, refused)
    case denied @ (_: SignInRefusedException | _: ClientAuthenticationException) =>
      error(HubList.Authentication, denied)
    case certificate: CertificateRefused =>
      EventHubsErrors.certificate(hub, Doing, certificate.host, certificate.problem, certificate)
    case refused: ProxyRefusedException =>
      EventHubsErrors.proxy(hub, Doing, refused.proxy, ErrorConditions.withoutSecrets(refused.said), Some(refused))
    case signIn: SignInUnreachableException =>
      EventHubsErrors.unreachableSignIn(hub, Doing, ErrorConditions.withoutSecrets(signIn.getMessage), signIn)
    case network @ (_: IOException | _: UnresolvedAddressException | _: TimeoutException) =>
      error(HubList.Unreachable, network)
    case other => error(HubList.Service, other)
  }

  private def error(condition: HubList, cause: Throwable) = {
    val said = Option(cause.getMessage).getOrElse(cause.getClass.getSimpleName)
    EventHubsErrors.hubList(condition, hub, address, ErrorConditions.withoutSecrets(said), cause)
  }
}

private object ListingFailures {
  private val Doing = "listing the event hubs of the namespace"
  private val Transient = Set(408, 429, 500, 502, 503, 504)
  private val LongestChain = 20

  /** The SDK wraps what it meets. */
  private def cause(failed: Throwable): Throwable = {
    val chain = Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty).take(LongestChain).toSeq
    chain.collectFirst {
      case known @ (_: EventHubsException | _: InterruptedException | _: RefusedListing | _: CertificateRefused |
          _: SignInRefusedException | _: ClientAuthenticationException | _: IOException |
          _: UnresolvedAddressException | _: TimeoutException) => known
    }.getOrElse(failed)
  }
}
