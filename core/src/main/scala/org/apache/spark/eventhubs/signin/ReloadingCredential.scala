package org.apache.spark.eventhubs.signin

import com.azure.core.credential.{AccessToken, TokenCredential, TokenRequestContext}
import reactor.core.publisher.Mono

/** Builds a credential of the SDK again when its secret or certificate has changed. */
private[signin] final class ReloadingCredential[A](read: () => A)(build: A => TokenCredential) extends TokenCredential {

  private val current = new ReloadingValue(read)(build)

  override def getToken(request: TokenRequestContext): Mono[AccessToken] =
    Mono.defer[AccessToken](() => current.get().getToken(request))
}
