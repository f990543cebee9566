package org.apache.spark.eventhubs.options

import java.net.URI
import java.time.Duration
import java.util.Locale

import scala.util.Try

import org.apache.spark.eventhubs.{Credential, NamedKey, PlainSecret, Secret}

/**
 * A parsed connection string. `toString` shows no secrets.
 *
 * @param host                lower case
 * @param entityPath          the event hub; None in a namespace's string
 * @param credential          None if the string has no key or signature; then `eventhubs.auth.type` is needed
 * @param developmentEmulator true for a local hub: AMQP without TLS
 */
private[eventhubs] final case class ConnectionString(
    host: String,
    port: Option[Int],
    entityPath: Option[String],
    credential: Option[Credential],
    operationTimeout: Option[Duration],
    transport: Option[Transport],
    developmentEmulator: Boolean
)

private[eventhubs] object ConnectionString {
  import ConnectionStringParts._

  /**
   * @param text plain, or encrypted by the legacy connector 2.3.22
   * @throws EventHubsException EVENTHUBS_INVALID_CONNECTION_STRING; it shows no part that may be secret
   */
  def parse(text: String): ConnectionString = from(ConnectionStringParts.parse(text))

  /** Parses a secret string. If it is kept elsewhere, the key or signature is read again where it is used. */
  def of(string: Secret): ConnectionString = {
    val parsed = parse(string.value)
    string match {
      case PlainSecret(_) => parsed
      case _ => parsed.copy(credential = parsed.credential.map {
          case Credential.SharedKey(policy, _) =>
            Credential.SharedKey(policy, ConnectionStringKey(string))
          case Credential.SharedAccessSignature(_) =>
            Credential.SharedAccessSignature(ConnectionStringSignature(string))
          case other => other
        })
    }
  }

  def from(parts: ConnectionStringParts): ConnectionString = {
    val address = endpoint(parts)
    ConnectionString(
      host = address.getHost.toLowerCase(Locale.ROOT),
      port = Option.when(address.getPort >= 0)(address.getPort),
      entityPath = parts.get(EntityPath),
      credential = credential(parts),
      operationTimeout = parts.get(OperationTimeout).map(read(OperationTimeout, OptionType.PositiveDuration)),
      transport = parts.get(TransportType).map(read(TransportType, ConnectionOptions.TransportOption.valueType)),
      developmentEmulator = parts.get(UseDevelopmentEmulator).exists(read(UseDevelopmentEmulator, OptionType.Flag))
    )
  }

  /**
   * The endpoint with a scheme. `Hostname` is IoT Hub's name for it. Some strings have a path, which has no meaning.
   */
  def endpoint(parts: ConnectionStringParts): URI = {
    val written = (parts.get(Endpoint), parts.get(Hostname)) match {
      case (Some(_), Some(_)) => throw malformed("has both an Endpoint and a Hostname")
      case (None, None) => throw malformed("has no Endpoint")
      case (endpoint, hostname) => endpoint.orElse(hostname).mkString
    }
    Try(new URI(if (written.contains("://")) written else s"sb://$written")).toOption
      .filter(uri => Option(uri.getHost).isDefined && Schemes(uri.getScheme.toLowerCase(Locale.ROOT)))
      .getOrElse(throw malformed("has an Endpoint that is not of the form sb://<host>"))
  }

  private val Schemes = Set("sb", "amqps", "amqp", "https")

  private def credential(parts: ConnectionStringParts): Option[Credential] =
    (parts.get(SharedAccessKeyName), parts.get(SharedAccessKey), parts.get(SharedAccessSignature)) match {
      case (Some(policy), Some(key), None) => Some(Credential.SharedKey(policy, Secret(key)))
      case (None, None, Some(token)) => Some(Credential.SharedAccessSignature(Secret(token)))
      case (None, None, None) => None
      case (Some(_), None, None) => throw malformed("has a SharedAccessKeyName but no SharedAccessKey")
      case (None, Some(_), None) => throw malformed("has a SharedAccessKey but no SharedAccessKeyName")
      case _ => throw malformed("has both a SharedAccessKey (or its name) and a SharedAccessSignature")
    }

  private def read[A](name: String, valueType: OptionType[A])(text: String): A =
    valueType.parse(text).fold(expected => throw malformed(s"has a $name that is not $expected"), identity)
}

/** The key in a connection string that is kept elsewhere. */
private[options] final case class ConnectionStringKey(string: Secret) extends NamedKey {
  import ConnectionStringParts._

  override def current: (String, String) = {
    val parts = ConnectionStringParts.parse(string.value)
    (needed(parts, SharedAccessKeyName), needed(parts, SharedAccessKey))
  }
}

/** The signature in a connection string that is kept elsewhere. */
private[options] final case class ConnectionStringSignature(string: Secret) extends Secret {
  import ConnectionStringParts._

  override def value: String = needed(ConnectionStringParts.parse(string.value), SharedAccessSignature)
}
