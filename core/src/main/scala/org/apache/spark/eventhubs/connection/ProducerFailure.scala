package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.{RejectedExecutionException, TimeoutException}

import scala.util.matching.Regex

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}

/** What a failed attempt to send means for the next one. */
private[eventhubs] sealed trait ProducerFailure
private[eventhubs] object ProducerFailure {

  /** The service asks for a pause; everything else is well. */
  final case class Throttled(pause: Duration) extends ProducerFailure

  /** Link or connection went away, and the SDK opens another by itself. */
  case object Dropped extends ProducerFailure

  /**
   * The client itself is beyond repair, or the service did not answer at all. What was sent may still be waiting in
   * the client and would overtake the next attempt, so only a new client keeps the order.
   */
  case object ClientDead extends ProducerFailure

  /** Trying again cannot help. */
  case object Permanent extends ProducerFailure

  def of(error: Throwable): ProducerFailure =
    if (SdkErrors.isServerBusy(error)) Throttled(askedPause(error))
    else
      SdkErrors.cause(error) match {
        case _: TimeoutException | _: RejectedExecutionException => ClientDead
        // Another task that shared the client has replaced it between our asking for it and our sending.
        case closed: AmqpException if Option(closed.getMessage).exists(_.contains(ClientClosed)) => ClientDead
        // Said of a delivery that its link lost before the service had it.
        case amqp: AmqpException if amqp.getErrorCondition == AmqpErrorCondition.OPERATION_CANCELLED => Dropped
        case other if SdkErrors.isTransient(other) => Dropped
        case _ => Permanent
      }

  private val ClientClosed = "Connection recovery support is terminated"

  /** The service says it in words only: "... Please wait 4 seconds and try again." */
  private val AskedPause: Regex = "(?i)wait (\\d{1,4}) seconds?".r.unanchored
  private val DefaultPause = Duration.ofSeconds(4)

  private def askedPause(error: Throwable): Duration = Option(SdkErrors.cause(error).getMessage) match {
    case Some(AskedPause(seconds)) => Duration.ofSeconds(seconds.toLong)
    case _ => DefaultPause
  }
}
