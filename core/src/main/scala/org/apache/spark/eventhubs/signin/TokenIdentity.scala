package org.apache.spark.eventhubs.signin

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant
import java.util.Base64

import scala.util.Try

import com.azure.core.credential.TokenRequestContext
import com.fasterxml.jackson.databind.JsonNode
import reactor.core.publisher.Mono

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.{Credential, Json}

/**
 * Who a token of Microsoft Entra ID is for. None where the token does not say it.
 *
 * @param application client id
 * @param authority   who issued it
 */
private[spark] final case class TokenIdentity(
    application: Option[String],
    tenant: Option[String],
    authority: Option[String],
    expiresAt: Option[Instant]
)

private[spark] object TokenIdentity {

  /** What the SDK asks a token for, in each cloud. */
  private[eventhubs] val Scope = "https://eventhubs.azure.net/.default"

  /** Signs in. The identity comes with the token; fails as the sign-in of a connection does. */
  def of(credential: Credential.Entra, settings: ConnectionSettings): Mono[TokenIdentity] =
    Mono.defer[TokenIdentity] { () =>
      EntraSignIn.of(credential, SignInNetwork.of(settings)).getToken(new TokenRequestContext().addScopes(Scope))
        .map[TokenIdentity](token => in(token.getToken).copy(expiresAt = Some(token.getExpiresAt.toInstant)))
    }

  /** The claims of a token, without a check of its signature: the service checks it. */
  private[signin] def in(token: String): TokenIdentity = {
    val payload = token.split('.').drop(1).headOption.flatMap(part => Try(Base64.getUrlDecoder.decode(part)).toOption)
    val claims =
      payload.flatMap(bytes => Try(Json.mapper.readTree(new String(bytes, UTF_8))).toOption).filter(_.isObject)
    def text(names: String*): Option[String] =
      claims.flatMap(found => names.map(name => found.path(name)).find(_.isTextual).map((_: JsonNode).asText))
    TokenIdentity(text("appid", "azp", "client_id"), text("tid"), text("iss"), expiresAt = None)
  }
}
