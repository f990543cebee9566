package org.apache.spark.eventhubs.options

import java.net.URI
import java.time.Duration

import org.apache.spark.eventhubs.{Credential, EventHubName, EventHubsErrors}

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

object ConnectionSettings {
  import ConnectionOptions.{ConnectionString => StringOption, _}

  /** An option wins over the same thing in the connection string, except for the hub's names: there both must agree. */
  private[spark] def parse(options: ParsedOptions): ConnectionSettings = {
    val string = options.get(StringOption).map(ConnectionString.parse)
    val namespace = agreed(options, Namespace, string.map(_.host), "Endpoint").getOrElse(throw noNamespace)
    val name = agreed(options, Name, string.flatMap(_.entityPath), "EntityPath").getOrElse(throw noName)
    val credential = SignIn.credential(options, string.flatMap(_.credential))
    if (string.exists(_.developmentEmulator)) requireSharedAccess(credential)
    ConnectionSettings(
      hub = EventHubName(namespace, name),
      port = string.flatMap(_.port),
      credential = credential,
      developmentEmulator = string.exists(_.developmentEmulator),
      transport = options.explicit(TransportOption)
        .orElse(string.flatMap(_.transport))
        .getOrElse(options(TransportOption)),
      customEndpoint = options.get(CustomEndpoint),
      operationTimeout = options.explicit(OperationTimeout)
        .orElse(string.flatMap(_.operationTimeout))
        .getOrElse(options(OperationTimeout)),
      maxRetries = options(MaxRetries)
    )
  }

  private def agreed(
      options: ParsedOptions,
      option: EventHubsOption[String],
      inString: Option[String],
      part: String
  ): Option[String] = {
    val inOptions = options.get(option)
    for (one <- inOptions; other <- inString if !one.equalsIgnoreCase(other))
      throw EventHubsErrors.conflictingOptions(
        s"'${option.key}' is '$one' and the connection string's $part is '$other'",
        "Keep the one that is meant."
      )
    inString.orElse(inOptions)
  }

  /** The emulator knows no Entra tokens, and a token must not leave without TLS. */
  private def requireSharedAccess(credential: Credential): Unit = credential match {
    case _: Credential.SharedKey | _: Credential.SharedAccessSignature => ()
    case _ =>
      throw EventHubsErrors.conflictingOptions(
        s"the connection string has UseDevelopmentEmulator=true and '${AuthType.key}' is for Microsoft Entra",
        "Sign in to a local hub with the key of its connection string."
      )
  }

  private def noNamespace = EventHubsErrors.missingOption(
    StringOption.key,
    s"Set it to the connection string of the event hub, or set '${Namespace.key}', '${Name.key}' and '${AuthType.key}'."
  )

  private def noName = EventHubsErrors.missingOption(
    Name.key,
    "Set it to the event hub's name, or add ';EntityPath=<name>' to the connection string."
  )
}

sealed trait Transport
object Transport {
  case object Amqp extends Transport
  case object AmqpWebSockets extends Transport
}
