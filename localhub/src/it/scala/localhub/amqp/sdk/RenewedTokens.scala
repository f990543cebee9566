package localhub.amqp.sdk

import java.time.temporal.ChronoUnit
import java.time.{Duration, Instant, OffsetDateTime, ZoneOffset}
import java.util.concurrent.CopyOnWriteArrayList

import com.azure.core.credential.{AccessToken, TokenRequestContext}
import com.azure.messaging.eventhubs.implementation.EventHubSharedKeyCredential
import reactor.core.publisher.Mono

import localhub.auth.SharedAccessPolicy

/**
 * Tokens of a policy. The SDK puts a new token after nine tenths of its life, rounded down to seconds twice: every two
 * seconds for a `life` of four.
 */
final class RenewedTokens(policy: SharedAccessPolicy, life: Duration)
    extends EventHubSharedKeyCredential(policy.name, policy.key, life) {

  private val ends = new CopyOnWriteArrayList[Instant]

  /** Expiry of the token with this number; the first one is 1. */
  def end(number: Int): Instant = ends.get(number - 1)

  override def getToken(request: TokenRequestContext): Mono[AccessToken] =
    super.getToken(request).map { token =>
      // The token has its expiry in whole seconds.
      ends.add(token.getExpiresAt.toInstant.truncatedTo(ChronoUnit.SECONDS))
      // The SDK reads the expiry after the token was accepted. After a slow answer less than two seconds would be left,
      // and the SDK would put tokens without a pause.
      new AccessToken(token.getToken, token.getExpiresAt) {
        override def getExpiresAt: OffsetDateTime = OffsetDateTime.now(ZoneOffset.UTC).plus(life)
      }
    }
}
