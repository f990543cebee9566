package org.apache.spark.eventhubs.credentials

import java.time.Instant

/**
 * A user's own way to get access tokens of Microsoft Entra ID, for `eventhubs.auth.credentialProvider`. The class needs
 * a public constructor that takes a `java.util.Map[String, String]`, which gets
 * `eventhubs.auth.tokenParameters`, or one without parameters. It must be in a jar of the driver and the
 * executors. Each of their JVMs creates one object for equal settings.
 */
trait TokenProvider {

  /**
   * A new token. It may block. The connector keeps it and asks again about five minutes before it expires. It may ask
   * from several threads. A `java.io.IOException` counts as a lost connection and is retried; any other exception
   * stops the query with EVENTHUBS_AUTHENTICATION.
   *
   * @param scope `https://eventhubs.azure.net/.default`; for checkpoints in Azure Blob Storage, the scope of storage
   */
  @throws[Exception] // else a class in Java cannot throw an IOException
  def getToken(scope: String): ProvidedToken
}

/**
 * An access token. `toString` does not show it.
 *
 * @param token     a JSON web token for the audience `https://eventhubs.azure.net`
 * @param expiresAt when the service stops accepting it
 */
final class ProvidedToken(val token: String, val expiresAt: Instant) {
  override def toString: String = s"ProvidedToken(***, expires at $expiresAt)"
}
