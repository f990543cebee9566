package org.apache.spark.eventhubs.signin

import org.apache.spark.eventhubs.Credential
import org.apache.spark.eventhubs.credentials.ProviderClass
import org.apache.spark.eventhubs.options.ConnectionSettings

/**
 * What must be equal so that two users share a connection.
 *
 * @param provider the user's class that gives tokens: sessions of Spark Connect may have two classes of one name
 */
private[eventhubs] final case class ClientKey private (settings: ConnectionSettings, provider: Option[Class[_]])

private[eventhubs] object ClientKey {

  /** Returns the key with the class that the calling thread sees. */
  def of(settings: ConnectionSettings): ClientKey = ClientKey(settings, provider(settings.credential))

  /** None if the credential needs no class of the user, or this machine has none of its name. */
  private[signin] def provider(credential: Credential): Option[Class[_]] = credential match {
    case Credential.Provided(className, _) => ProviderClass.find(className)
    case _ => None
  }
}
