package org.apache.spark.eventhubs.rest

import java.net.URL
import java.time.Duration

import scala.annotation.tailrec

import com.azure.core.credential.TokenRequestContext
import com.azure.core.http.{HttpHeaderName, HttpMethod, HttpRequest, HttpResponse}

import org.apache.spark.eventhubs.Credential
import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.retry.{BackOff, CancellableWait, MonotonicClock}
import org.apache.spark.eventhubs.signin.{
  CurrentSharedAccess,
  EntraSignIn,
  SignInHttpClient,
  SignInNetwork,
  TokenIdentity
}

/**
 * HTTPS requests to a namespace, signed in as its connections are.
 *
 * @param checkCancelled throws when the task that asks is to stop; called often while it waits
 */
private[eventhubs] final class NamespaceRequests(settings: ConnectionSettings, checkCancelled: () => Unit = () => ()) {

  import NamespaceRequests._

  private val network = SignInNetwork.of(settings)
  private val http = new SignInHttpClient(network)

  /** The namespace's address without a path. */
  val address: String = NamespaceAddress.of(settings)

  /** A request that is sent with [[send]]. */
  def request(method: HttpMethod, path: String): HttpRequest = new HttpRequest(method, new URL(s"$address$path"))

  /** Sends a request once. */
  def send[A](request: HttpRequest)(use: HttpResponse => A): A = {
    request.setHeader(HttpHeaderName.AUTHORIZATION, authorization)
    request.setHeader(HttpHeaderName.USER_AGENT, "spark-eventhubs")
    val answer = http.send(request).block()
    try use(answer)
    finally answer.close()
  }

  /**
   * Repeats what may succeed the next time.
   *
   * @param mayRepeat whether it may be tried again after so many failures
   */
  @tailrec
  def repeated[A](mayRepeat: Int => Boolean, failures: Int = 0)(attempt: => A): A = {
    val result =
      try Right(attempt)
      catch { case failed: Throwable if RestFailures.isTransient(failed) && mayRepeat(failures + 1) => Left(failed) }
    result match {
      case Right(value) => value
      case Left(failed) =>
        val asked = RestFailures.retryAfter(failed).fold(0L)(wanted => math.min(wanted.toNanos, LongestPause.toNanos))
        CancellableWait(new MonotonicClock, math.max(asked, Pauses.nanos(failures + 1)), checkCancelled)
        repeated(mayRepeat, failures + 1)(attempt)
    }
  }

  /** The token is for the namespace: one for an event hub allows nothing here. */
  private def authorization: String = settings.credential match {
    case shared: Credential.SharedAccess =>
      val resource = s"https://${settings.hub.namespace}/"
      new CurrentSharedAccess(shared).getTokenSync(new TokenRequestContext().addScopes(resource)).getToken
    case entra: Credential.Entra =>
      val request = new TokenRequestContext().addScopes(TokenIdentity.Scope)
      s"Bearer ${EntraSignIn.of(entra, network).getTokenSync(request).getToken}"
  }
}

private object NamespaceRequests {
  private val Pauses = new BackOff(Duration.ofMillis(300), Duration.ofSeconds(2), () => 0.5)

  /** A service that asks for more is asked again earlier: the caller has a limit of its own. */
  private val LongestPause = Duration.ofSeconds(10)
}
