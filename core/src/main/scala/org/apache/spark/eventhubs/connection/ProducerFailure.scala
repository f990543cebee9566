package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.{RejectedExecutionException, TimeoutException}

import scala.util.matching.Regex

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}

import org.apache.spark.eventhubs.retry.BackOff

/** What a failed attempt to send means for the next attempt. */
private[eventhubs] sealed trait ProducerFailure
private[eventhubs] object ProducerFailure {

  /** The service is busy and asks for a pause. Link and connection still work. */
  final case class Throttled(pause: Duration) extends ProducerFailure

  /**
   * The service could not process the batch, and does not say whether it is stored. Link and connection still work.
   */
  case object NotProcessed extends ProducerFailure

  /** The link or the connection was lost. The SDK opens another one. */
  case object Dropped extends ProducerFailure

  /**
   * The client is closed, or the service did not answer. The batch may still wait in the client and would overtake the
   * next attempt, so only a new client keeps the order.
   */
  case object ClientDead extends ProducerFailure

  /** A retry cannot help. */
  case object Permanent extends ProducerFailure

  def of(error: Throwable): ProducerFailure =
    if (SdkErrors.isServerBusy(error)) Throttled(askedPause(error))
    else
      SdkErrors.cause(error) match {
        case _: TimeoutException | _: RejectedExecutionException => ClientDead
        // Another task that shares the client has replaced it after this task had taken it from the pool.
        case closed: AmqpException if Option(closed.getMessage).exists(_.contains(ClientClosed)) => ClientDead
        // The SDK reports this for a delivery whose link closed before the service had it.
        case amqp: AmqpException if amqp.getErrorCondition == AmqpErrorCondition.OPERATION_CANCELLED => Dropped
        case amqp: AmqpException if amqp.getErrorCondition == AmqpErrorCondition.INTERNAL_ERROR => NotProcessed
        case other if SdkErrors.isTransient(other) => Dropped
        case _ => Permanent
      }

  /**
   * Whether the attempt failed for want of an answer. The service may say so too, and then does not know the result.
   */
  def isTimeout(error: Throwable): Boolean = SdkErrors.cause(error) match {
    case _: TimeoutException => true
    case amqp: AmqpException => amqp.getErrorCondition == AmqpErrorCondition.TIMEOUT_ERROR
    case _ => false
  }

  /**
   * The reason for which the service has closed the link of a delivery, where it is busy or a retry cannot help. The
   * delivery itself has no answer and may be stored, so this is for writes that may send it twice.
   */
  def reasonOfClose(error: Throwable): Throwable = SdkErrors.cause(error) match {
    case closed: AmqpException if closed.getErrorCondition == AmqpErrorCondition.LINK_DETACH_FORCED =>
      Option(closed.getCause).collect {
        case reason: AmqpException if SdkErrors.isServerBusy(reason) || !reason.isTransient => reason
      }.getOrElse(error)
    case _ => error
  }

  /** Whether the attempt failed without an answer that says its result. */
  def isNoAnswer(error: Option[Throwable]): Boolean = error.map(of).exists {
    case NotProcessed | Dropped | ClientDead => true
    case _ => false
  }

  private val ClientClosed = "Connection recovery support is terminated"

  /** Only the text of an error has the pause. */
  private val AskedPause: Regex = "(?i)wait (\\d{1,4}) seconds?".r.unanchored

  private def askedPause(error: Throwable): Duration = Option(SdkErrors.cause(error).getMessage) match {
    case Some(AskedPause(seconds)) => Duration.ofSeconds(seconds.toLong)
    case _ => BackOff.BusyPause
  }
}
