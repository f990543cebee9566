package org.apache.spark.eventhubs.blob

import java.io.{IOException, InterruptedIOException}
import java.net.SocketTimeoutException
import java.nio.channels.{ClosedByInterruptException, UnresolvedAddressException}
import java.util.concurrent.TimeoutException

import com.azure.core.exception.ClientAuthenticationException
import com.azure.core.http.{HttpHeaderName, HttpResponse}

import org.apache.spark.eventhubs.ErrorCondition.CheckpointStore
import org.apache.spark.eventhubs.signin.SignInRefusedException
import org.apache.spark.eventhubs.{ErrorConditions, EventHubsException}

/** Translates failures of the store to the connector's error conditions. */
private[eventhubs] object BlobErrors {

  private val Code = "<Code>([A-Za-z]+)</Code>".r.unanchored
  private val LongestChain = 20

  /** @param answer of the store, which says no */
  def refused(store: String, doing: String, answer: HttpResponse): EventHubsException = {
    val status = answer.getStatusCode
    val code = errorCode(answer)
    val condition = status match {
      case 404 if code.forall(_ != "BlobNotFound") => CheckpointStore.NotFound
      case 401 | 403 => CheckpointStore.Authentication
      case 408 | 429 | 500 | 502 | 503 | 504 => CheckpointStore.Unreachable
      case _ => CheckpointStore.Service
    }
    CheckpointStoreErrors.failed(
      condition,
      store,
      doing,
      s"status $status" + code.fold("")(text => s": $text"),
      None
    )
  }

  def noStore(store: String, doing: String, cause: Throwable): EventHubsException =
    CheckpointStoreErrors.failed(
      CheckpointStore.Service,
      store,
      doing,
      "the answer is not one of Azure Blob Storage",
      Some(cause)
    )

  /** @param problem as it reads after a colon */
  def malformed(store: String, blob: String, problem: String): EventHubsException =
    CheckpointStoreErrors.malformedBlob(store, blob, problem)

  def isNoBlob(answer: HttpResponse): Boolean =
    answer.getStatusCode == 404 && errorCode(answer).contains("BlobNotFound")

  def isConditionNotMet(answer: HttpResponse): Boolean =
    errorCode(answer).exists(Set("ConditionNotMet", "BlobAlreadyExists", "UnauthorizedBlobOverwrite"))

  /** The interrupt that ended the call, if one did. The SDK wraps it, or adds it to another failure. */
  def interrupt(failed: Throwable): Option[InterruptedException] =
    chain(failed).flatMap(link => link +: link.getSuppressed.toSeq).collectFirst {
      case stopped: InterruptedException => stopped
      case stopped @ (_: InterruptedIOException | _: ClosedByInterruptException) if !isTimeout(stopped) =>
        new InterruptedException(stopped.toString)
    }

  def translate(store: String, doing: String, failed: Throwable): Throwable =
    interrupt(failed).getOrElse(translateFailure(store, doing, failed))

  private def translateFailure(store: String, doing: String, failed: Throwable): Throwable = {
    def found(condition: CheckpointStore, cause: Throwable) = {
      val said = Option(cause.getMessage).getOrElse(cause.getClass.getSimpleName)
      CheckpointStoreErrors.failed(condition, store, doing, ErrorConditions.withoutSecrets(said), Some(failed))
    }
    chain(failed).collectFirst {
      case known: EventHubsException => known
      case denied @ (_: SignInRefusedException | _: ClientAuthenticationException) =>
        found(CheckpointStore.Authentication, denied)
      case network @ (_: IOException | _: UnresolvedAddressException | _: TimeoutException) =>
        found(CheckpointStore.Unreachable, network)
    }.getOrElse(found(CheckpointStore.Service, failed))
  }

  private def chain(failed: Throwable): Seq[Throwable] =
    Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty).take(LongestChain).toSeq

  /** A socket's time-out is an InterruptedIOException too. */
  private def isTimeout(failed: Throwable): Boolean = failed.isInstanceOf[SocketTimeoutException]

  private def errorCode(answer: HttpResponse): Option[String] =
    Option(answer.getHeaderValue(HttpHeaderName.fromString("x-ms-error-code"))).orElse {
      Option(answer.getBodyAsString.block()).collect { case Code(code) => code }
    }
}
