package org.apache.spark.eventhubs

import java.net.URI
import java.time.Duration

import org.apache.spark.eventhubs.options.{ConnectionOptions, ConnectionString, ConnectionStringParts}

/**
 * Builds or parses a connection string, with the legacy connector's method names. A setter changes this builder and
 * returns it. A getter fails if its part is missing. `toString` shows no secrets.
 */
final class ConnectionStringBuilder private (initial: ConnectionStringParts) {
  import ConnectionStringParts._

  def this() = this(ConnectionStringParts.empty)

  /** @param connectionString of an event hub or of a namespace */
  def this(connectionString: String) = this(ConnectionStringParts.parse(connectionString))

  @volatile private var parts: ConnectionStringParts = initial

  def getEndpoint: URI = ConnectionString.endpoint(parts)

  def setEndpoint(endpoint: URI): ConnectionStringBuilder = set(Endpoint, endpoint.toString)

  /** Sets the endpoint in a cloud with its own domain, such as `servicebus.chinacloudapi.cn`. */
  def setEndpoint(namespaceName: String, domainName: String): ConnectionStringBuilder =
    set(Endpoint, s"sb://$namespaceName.$domainName")

  /** Sets the endpoint of a namespace in the public cloud. */
  def setNamespaceName(namespaceName: String): ConnectionStringBuilder =
    setEndpoint(namespaceName, "servicebus.windows.net")

  def getEventHubName: String = get(EntityPath)
  def setEventHubName(eventHubName: String): ConnectionStringBuilder = set(EntityPath, eventHubName)

  def getSasKeyName: String = get(SharedAccessKeyName)
  def setSasKeyName(name: String): ConnectionStringBuilder = set(SharedAccessKeyName, name)

  def getSasKey: String = get(SharedAccessKey)
  def setSasKey(key: String): ConnectionStringBuilder = set(SharedAccessKey, key)

  def getSharedAccessSignature: String = get(SharedAccessSignature)
  def setSharedAccessSignature(signature: String): ConnectionStringBuilder = set(SharedAccessSignature, signature)

  /** The connector's default if the string has no `OperationTimeout`. */
  def getOperationTimeout: Duration = parts
    .get(OperationTimeout)
    .flatMap(ConnectionOptions.OperationTimeout.valueType.parse(_).toOption)
    .orElse(ConnectionOptions.OperationTimeout.default)
    .getOrElse(Duration.ZERO)
  def setOperationTimeout(timeout: Duration): ConnectionStringBuilder = set(OperationTimeout, timeout.toString)

  /** Keeps only endpoint and hub. The `eventhubs.auth` options then select how to sign in. */
  def setAadAuthConnectionString(endpoint: URI, eventHubName: String): ConnectionStringBuilder = {
    parts = ConnectionStringParts.empty
    setEndpoint(endpoint).setEventHubName(eventHubName)
  }

  /** @throws EventHubsException EVENTHUBS_INVALID_CONNECTION_STRING if no client can connect with it */
  def build: String = {
    ConnectionString.from(parts)
    parts.render
  }

  override def toString: String = s"ConnectionStringBuilder(${parts.shown}); call build for the string"

  private def get(name: String): String =
    parts.get(name).getOrElse(throw EventHubsErrors.invalidConnectionString(s"has no $name"))

  private def set(name: String, value: String): ConnectionStringBuilder = {
    parts = parts.set(name, value)
    this
  }
}

object ConnectionStringBuilder {
  def apply(): ConnectionStringBuilder = new ConnectionStringBuilder

  /** @param connectionString of an event hub or of a namespace */
  def apply(connectionString: String): ConnectionStringBuilder = new ConnectionStringBuilder(connectionString)
}
