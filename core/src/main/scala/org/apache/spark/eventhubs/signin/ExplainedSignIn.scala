package org.apache.spark.eventhubs.signin

import java.io.IOException
import java.nio.channels.UnresolvedAddressException
import java.time.Duration
import java.util.concurrent.{ConcurrentHashMap, TimeoutException}

import com.azure.core.credential.{AccessToken, TokenCredential, TokenRequestContext}
import com.azure.core.exception.ClientAuthenticationException
import com.microsoft.aad.msal4j.{MsalClientException, MsalServiceException}
import reactor.core.publisher.Mono

import org.apache.spark.eventhubs.proxy.ProxyRefusedException
import org.apache.spark.eventhubs.tls.CertificateRefused

/**
 * A credential whose failures say who signs in, and where. The SDK's own failures have no common class, and that of a
 * missing connection does not name the host.
 *
 * @param who       as it reads after "the sign-in of"
 * @param authority address of the sign-in service; None for an identity of this machine
 * @param nanos     a clock that never goes back
 */
private[signin] class ExplainedSignIn(
    credential: TokenCredential,
    who: String,
    authority: Option[String],
    nanos: () => Long = () => System.nanoTime()
) extends TokenCredential {

  import ExplainedSignIn._

  private val attempts = new ConcurrentHashMap[String, SignInAttempts]

  /**
   * Why there is no token of this scope, for callers whose own time is over before the answer comes.
   *
   * @param within how long ago the attempt may have failed
   */
  def lastFailure(scope: String, within: Duration): Option[Throwable] = attemptsFor(scope).lastFailure(within)

  override def getToken(request: TokenRequestContext): Mono[AccessToken] = Mono.defer { () =>
    val attempt = attemptsFor(request.getScopes.get(0)).begin()
    Mono.defer[AccessToken](() => credential.getToken(request))
      .timeout(LongestWait, Mono.defer[AccessToken](() => Mono.error(noAnswer(LongestWait))))
      .onErrorMap(failed => explained(failed))
      .doOnSuccess(_ => attempt.gaveToken())
      .doOnError(failed => attempt.failed(failed))
      .doOnCancel(() => attempt.abandoned())
  }

  private def attemptsFor(scope: String): SignInAttempts = attempts.computeIfAbsent(
    scope,
    (_: String) => new SignInAttempts(waited => explained(noAnswer(waited)), nanos)
  )

  private val where = authority.fold("")(address => s" at $address")

  private def explained(failed: Throwable): Throwable = {
    val causes = Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty)
    val chain = causes.take(LongestChain).toSeq
    val answered = chain.collectFirst {
      case refused: MsalServiceException if isFinal(refused) => refusal(refused)
    }
    // Of a class of the user, whatever its cause is.
    val refusedByClass = chain.collectFirst { case refused: SignInRefusedException => refused }
    // Their texts name the host.
    val named = chain.collectFirst { case known @ (_: CertificateRefused | _: ProxyRefusedException) => known }
    val network = chain.collectFirst {
      case lost @ (_: IOException | _: UnresolvedAddressException | _: TimeoutException) =>
        val problem = ChainReasons.in(chain).getOrElse(Option(lost.getMessage).getOrElse(lost.getClass.getSimpleName))
        new SignInUnreachableException(s"no connection for the sign-in of $who$where: $problem", failed)
    }
    val busy = chain.collectFirst { case answer: MsalServiceException =>
      new SignInUnreachableException(
        s"the sign-in service$where answers with status ${status(answer)} to $who",
        failed
      )
    }
    // The SDK wraps a lost connection in one of these, so they come last.
    val noToken = chain.collectFirst { case other @ (_: ClientAuthenticationException | _: MsalClientException) =>
      ChainReasons.in(chain).fold(refusal(other))(refused(_, other))
    }
    refusedByClass.orElse(answered).orElse(named).orElse(network).orElse(busy).orElse(noToken).getOrElse(failed)
  }

  private def refusal(failed: Throwable) = {
    val said = Option(failed.getMessage).getOrElse(failed.getClass.getSimpleName)
    // Azure adds lines with ids and the time.
    val first = said.linesIterator.take(1).mkString.replaceFirst("\\s*Trace ID:.*", "")
    refused(first, failed)
  }

  private def refused(reason: String, failed: Throwable) =
    new SignInRefusedException(s"the sign-in of $who$where was refused: $reason", failed)
}

/** Microsoft Entra ID, or the identity of this machine, gives no token: a new attempt gets the same answer. */
private[eventhubs] class SignInRefusedException(message: String, cause: Throwable)
    extends RuntimeException(message, cause)

/** The sign-in service, or the identity endpoint of this machine, does not answer. It may come back. */
private[eventhubs] class SignInUnreachableException(message: String, cause: Throwable)
    extends IOException(message, cause)

private[signin] object ExplainedSignIn {

  private val LongestChain = 20

  private val StatusInText = "status code: (\\d{3})".r

  /** MSAL has the status of an answer that it does not understand only in its text. */
  private def status(answer: MsalServiceException): Int =
    Option(answer.statusCode).map(_.intValue).filter(_ > 0)
      .orElse(StatusInText.findFirstMatchIn(String.valueOf(answer.getMessage)).map(_.group(1).toInt))
      .getOrElse(0)

  private def isFinal(answer: MsalServiceException): Boolean = status(answer) < 500 && status(answer) != 429

  /** Shorter than the SDK's for a link, whose error names nobody. */
  private val LongestWait = Duration.ofSeconds(14)

  private def noAnswer(within: Duration) =
    new TimeoutException(s"no answer within ${math.max(1L, within.getSeconds)} s")
}
