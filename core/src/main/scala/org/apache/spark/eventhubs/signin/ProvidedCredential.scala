package org.apache.spark.eventhubs.signin

import java.io.IOException
import java.time.ZoneOffset
import java.util.concurrent.ConcurrentHashMap
import java.util.function.Supplier

import com.azure.core.credential.{AccessToken, SimpleTokenCache, TokenCredential, TokenRequestContext}
import reactor.core.publisher.Mono
import reactor.core.scheduler.Schedulers

import org.apache.spark.eventhubs.Secret
import org.apache.spark.eventhubs.credentials.TokenProvider

/**
 * The tokens of a user's class. They are kept until shortly before they expire.
 *
 * @param parameters of the class; no failure shows their values
 */
private[signin] final class ProvidedCredential(provider: TokenProvider, parameters: Seq[Secret])
    extends TokenCredential {

  private val name = provider.getClass.getName
  private val masked = new MaskedText(parameters.map(_.value))

  private val caches = new ConcurrentHashMap[String, SimpleTokenCache]

  override def getToken(request: TokenRequestContext): Mono[AccessToken] =
    caches.computeIfAbsent(request.getScopes.get(0), (scope: String) => cacheOf(scope)).getToken()

  private def cacheOf(scope: String) = new SimpleTokenCache(new Supplier[Mono[AccessToken]] {
    override def get(): Mono[AccessToken] =
      Mono.fromCallable[AccessToken](() => ask(scope)).subscribeOn(Schedulers.boundedElastic())
  })

  private def ask(scope: String): AccessToken = {
    val provided =
      try provider.getToken(scope)
      catch {
        case lost: IOException if !masked.isIn(lost) => throw lost
        case lost: IOException => throw new IOException(masked(String.valueOf(lost.getMessage)))
        // A LinkageError, as of a class that is in no jar, would end the thread of Reactor, and the caller would wait.
        case failed @ (_: Exception | _: LinkageError) =>
          val shownCause = Some(failed).filterNot(masked.isIn).orNull
          throw new SignInRefusedException(masked(s"the class '$name' gives no token: $failed"), shownCause)
      }
    def complete = Option(provided.token).exists(_.nonEmpty) && Option(provided.expiresAt).nonEmpty
    if (!Option(provided).exists(_ => complete))
      throw new SignInRefusedException(s"the class '$name' gives no token: a part of its answer is null", null)
    new AccessToken(provided.token, provided.expiresAt.atOffset(ZoneOffset.UTC))
  }
}
