package org.apache.spark.eventhubs.options

import java.net.URI
import java.time.Duration

import org.apache.spark.eventhubs.{Credential, EventHubName}

/**
 * All that decides which AMQP connection is used: equal settings share connections, unequal ones never do, so no query
 * ever uses another's credential. Prints without secrets.
 *
 * @param port                 of the endpoint, when it is not the transport's own
 * @param developmentEmulator  plain AMQP without TLS, as `UseDevelopmentEmulator=true` asks for
 * @param customEndpoint       host to open the socket to (private link, proxy), while the namespace stays what it is
 * @param operationTimeout     bound on one operation of the service, and on how long a read or write keeps trying
 */
final case class ConnectionSettings(
    hub: EventHubName,
    port: Option[Int],
    credential: Credential,
    developmentEmulator: Boolean,
    transport: Transport,
    customEndpoint: Option[URI],
    operationTimeout: Duration,
    maxRetries: Int
)

sealed trait Transport
object Transport {
  case object Amqp extends Transport
  case object AmqpWebSockets extends Transport
}
