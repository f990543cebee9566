package org.apache.spark.eventhubs.signin

import com.azure.core.credential.{AccessToken, TokenCredential, TokenRequestContext}
import reactor.core.publisher.Mono

/** A credential of the SDK that is built again when its secret or certificate has changed. */
private[signin] final class Rebuilt[A](read: () => A)(build: A => TokenCredential) extends TokenCredential {

  private val current = new Reread(read)(build)

  override def getToken(request: TokenRequestContext): Mono[AccessToken] =
    Mono.defer[AccessToken](() => current.get().getToken(request))
}
