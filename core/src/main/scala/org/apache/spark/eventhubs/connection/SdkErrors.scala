package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.nio.channels.UnresolvedAddressException
import java.util.concurrent.{CompletionException, ExecutionException, TimeoutException}

import scala.annotation.tailrec

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.core.exception.ClientAuthenticationException
import com.azure.messaging.eventhubs.ReceiveFailedException
import reactor.core.Exceptions

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.proxy.{ProxyRefusal, ProxyRefusedException, UsedProxies}
import org.apache.spark.eventhubs.signin.{
  EntraSignIn,
  SignInNetwork,
  SignInRefusedException,
  SignInUnreachableException
}
import org.apache.spark.eventhubs.tls.CertificateRefused
import org.apache.spark.eventhubs.{
  Credential,
  ErrorCondition,
  ErrorConditions,
  EventHubName,
  EventHubsErrors,
  EventHubsException
}

/** Translates failures of the Azure SDK to the connector's error conditions. */
private[eventhubs] object SdkErrors {

  /** How the SDK begins the text of a management answer that is no success. */
  private val StatusCode = "status-code: (\\d{3})\\b".r.unanchored

  /**
   * 503 Service Unavailable and 429 Too Many Requests: how HTTP says that a server is busy. The SDK replaces a code
   * that it does not know, such as 429, by 306.
   */
  private val BusyStatus = Set(503, 429, 306)

  /** 401 Unauthorized and 403 Forbidden. */
  private val Forbidden = Set(401, 403)

  private val ReplicatedOffsetCondition = "com.microsoft:georeplication:invalid-offset"

  /** The state of the SDK's link, such as `errorContext[NAMESPACE: ..., LINK_CREDIT: 0]`. */
  private val ErrorContext = ",? ?errorContext\\[[^\\]]*\\]".r

  /** Where and when the service answered. Azure's support asks for the TrackingId, which is before them. */
  private val Trackers = ", SystemTracker:[^\\s,]+, ?Timestamp:[^\\s,)]+".r

  private val Status = "status-code: (\\d{3}), status-description: ".r

  private val BeyondEnd = "The last sequence number in the system is"

  /**
   * Translates an error of the SDK, which does not say when the time was over before the sign-in service answered.
   *
   * @param settings of the connection that failed
   */
  def translate(error: Throwable, settings: ConnectionSettings, doing: String): EventHubsException = {
    val translated = translate(error, settings.hub, doing)
    val signIn = settings.credential match {
      case entra: Credential.Entra if translated.condition == ErrorCondition.Timeout =>
        EntraSignIn.lastFailure(entra, SignInNetwork.of(settings), within = settings.operationTimeout)
      case _ => None
    }
    signIn.fold(translated)(translate(_, settings.hub, doing))
  }

  /**
   * @param doing what was done, as it reads after "while": `reading partition 3 for consumer group dashboards`
   */
  def translate(error: Throwable, hub: EventHubName, doing: String): EventHubsException = cause(error) match {
    case known: EventHubsException => known
    case failed: ReceiveFailedException => EventHubsErrors.receiveFailed(hub, doing, failed.getCause)
    case amqp: AmqpException => fromAmqp(amqp, hub, doing)
    case denied @ (_: SignInRefusedException | _: ClientAuthenticationException) =>
      EventHubsErrors.authentication(hub, doing, shown(denied), denied)
    case timeout: TimeoutException => EventHubsErrors.timeout(hub, doing, shown(timeout), timeout)
    case refused: CertificateRefused =>
      EventHubsErrors.certificate(hub, doing, refused.host, refused.problem, refused)
    case refused: ProxyRefusedException =>
      EventHubsErrors.proxy(hub, doing, refused.proxy, refused.said, Some(refused))
    case signIn: SignInUnreachableException => EventHubsErrors.unreachableSignIn(hub, doing, shown(signIn), signIn)
    case network @ (_: IOException | _: UnresolvedAddressException) =>
      EventHubsErrors.unreachable(hub, doing, shown(network), network)
    case other if isNoPartition(text(other)) => EventHubsErrors.notFound(hub, doing, shown(other), other)
    case other => EventHubsErrors.service(hub, doing, shown(other), other)
  }

  /** Whether a retry may succeed. */
  def isTransient(error: Throwable): Boolean = cause(error) match {
    case amqp: AmqpException => amqp.isTransient && !ProxyRefusal.in(text(amqp)).exists(_.isFinal)
    case _: CertificateRefused => false
    case refused: ProxyRefusedException => !refused.isFinal
    case _: TimeoutException | _: IOException => true
    // The SDK's clients throw this when their connection is lost. A new attempt opens another.
    case _: IllegalStateException => true
    case _ => false
  }

  /** A refused question of the management node has a status code, and need not have an error condition. */
  def isServerBusy(error: Throwable): Boolean = hasCondition(error, AmqpErrorCondition.SERVER_BUSY_ERROR) ||
    BusyStatus.contains(statusCode(error))

  /** The SDK gives every answer with status 403 the condition of a link that is one too many. */
  def isTooManyReceivers(error: Throwable): Boolean =
    hasCondition(error, AmqpErrorCondition.RESOURCE_LIMIT_EXCEEDED) && statusCode(error) == 0

  def isNotFound(error: Throwable): Boolean = hasCondition(error, AmqpErrorCondition.NOT_FOUND)

  /**
   * Whether a link was refused because its partition ends before the requested event, as the partition of a recreated
   * hub may. Other invalid arguments have the same error condition, so the text decides.
   */
  def isBeyondEnd(error: Throwable): Boolean =
    hasCondition(error, AmqpErrorCondition.ARGUMENT_ERROR) && text(cause(error)).contains(BeyondEnd)

  /** The status of a management answer that is no success, which the SDK puts into its text. 0 when there is none. */
  private def statusCode(error: Throwable): Int = cause(error) match {
    case amqp: AmqpException => statusCode(text(amqp))
    case _ => 0
  }

  private def statusCode(said: String): Int = said match {
    case StatusCode(code) => code.toInt
    case _ => 0
  }

  // The service calls it an argument out of range. For a question about properties, the SDK has only a status code
  // (400), and throws an IllegalArgumentException.
  private def isNoPartition(said: String): Boolean =
    said.contains("The specified partition is invalid for an EventHub partition")

  /**
   * Whether a geo-replicated hub refused a start at an offset that is a whole number. The SDK does not know the
   * condition.
   */
  def isReplicatedOffsetError(error: Throwable): Boolean = text(cause(error)).contains(ReplicatedOffsetCondition)

  private def hasCondition(error: Throwable, condition: AmqpErrorCondition): Boolean = cause(error) match {
    case amqp: AmqpException => amqp.getErrorCondition == condition
    case _ => false
  }

  private def fromAmqp(error: AmqpException, hub: EventHubName, doing: String): EventHubsException = {
    import AmqpErrorCondition._
    val said = text(error)
    val refusal = ProxyRefusal.in(said)
    val shownText = shown(error)
    error.getErrorCondition match {
      case _ if refusal.isDefined =>
        EventHubsErrors.proxy(hub, doing, UsedProxies.of(hub.namespace), refusal.get.said, Some(error))
      case UNAUTHORIZED_ACCESS | PUBLISHER_REVOKED_ERROR => EventHubsErrors.authentication(hub, doing, shownText, error)
      case _ if Forbidden.contains(statusCode(said)) => EventHubsErrors.authentication(hub, doing, shownText, error)
      case NOT_FOUND => EventHubsErrors.notFound(hub, doing, shownText, error)
      case _ if BusyStatus.contains(statusCode(said)) => EventHubsErrors.throttled(hub, doing, shownText, error)
      case _ if statusCode(said) >= 500 => EventHubsErrors.service(hub, doing, shownText, error)
      case ARGUMENT_OUT_OF_RANGE_ERROR if isNoPartition(said) => EventHubsErrors.notFound(hub, doing, shownText, error)
      case LINK_STOLEN => EventHubsErrors.receiverDisconnected(hub, doing, shownText, error)
      case RESOURCE_LIMIT_EXCEEDED => EventHubsErrors.quotaExceeded(hub, doing, shownText, error)
      case SERVER_BUSY_ERROR => EventHubsErrors.throttled(hub, doing, shownText, error)
      case TIMEOUT_ERROR => EventHubsErrors.timeout(hub, doing, shownText, error)
      case PROTON_IO => EventHubsErrors.unreachable(hub, doing, shownText, error)
      case _ if Option(error.getErrorCondition).isEmpty && error.isTransient =>
        EventHubsErrors.unreachable(hub, doing, shownText, error)
      case _ => EventHubsErrors.service(hub, doing, shownText, error)
    }
  }

  @tailrec
  private[eventhubs] def cause(error: Throwable): Throwable = Exceptions.unwrap(error) match {
    case wrapped @ (_: CompletionException | _: ExecutionException) if Option(wrapped.getCause).nonEmpty =>
      cause(wrapped.getCause)
    // Reactor wraps the last failure of a retry, and block() wraps the exception that it throws.
    case wrapped if Exceptions.isRetryExhausted(wrapped) && Option(wrapped.getCause).nonEmpty => cause(wrapped.getCause)
    case other => other
  }

  /** The SDK's error text, without the signatures that it may quote. */
  private[connection] def text(error: Throwable): String =
    ErrorConditions.withoutSecrets(Option(error.getMessage).getOrElse(error.getClass.getSimpleName))

  /** Returns the [[text]] for users, without the state of the SDK's link. */
  private[eventhubs] def shown(error: Throwable): String = Status.replaceAllIn(
    Seq(ErrorContext, Trackers).foldLeft(text(error))((shorter, part) => part.replaceAllIn(shorter, "")),
    "status $1: "
  )
}
