package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.{EventHubsErrors, Secret}

/**
 * What a user sets about the HTTP proxy of a WebSocket connection. `toString` shows no password.
 *
 * @param address host and port; None leaves the choice of the proxy to the environment and the JVM
 * @param signIn  user name and password
 */
private[eventhubs] final case class ProxySettings(
    address: Option[ProxyAddress],
    signIn: Option[ProxySignIn]
)

private[eventhubs] final case class ProxyAddress(host: String, port: Int) {
  override def toString: String = s"$host:$port"
}

private[eventhubs] object ProxyAddress {

  /** The text of an address without its sign-in. A password may have any character, so the last `@` ends it. */
  def shown(text: String): String = text.lastIndexOf('@') match {
    case -1 => text
    case end => s"***${text.substring(end)}"
  }
}

private[eventhubs] final case class ProxySignIn(username: String, password: Secret, scheme: ProxyScheme)

/** How a user signs in to a proxy. */
private[eventhubs] sealed trait ProxyScheme

private[eventhubs] object ProxyScheme {
  case object Basic extends ProxyScheme
  case object Digest extends ProxyScheme
}

private[eventhubs] object ProxySettings {
  import ConnectionOptions.{ProxyAddressOption, ProxyPassword, ProxySchemeOption, ProxyUsername, TransportOption}

  val Unset: ProxySettings = ProxySettings(None, None)

  /** @throws EventHubsException for a proxy that the transport does not use, and for half of a sign-in */
  def parse(options: ParsedOptions, transport: Transport): ProxySettings = {
    Seq(ProxyAddressOption, ProxyUsername, ProxyPassword).find(options.isSet).foreach { set =>
      if (transport != Transport.AmqpWebSockets)
        throw EventHubsErrors.conflictingOptions(
          s"'${set.key}' is set and '${TransportOption.key}' is 'amqp', which uses no proxy",
          s"Set '${TransportOption.key}' = 'amqpWebSockets', or remove the proxy."
        )
    }
    val signIn = (options.get(ProxyUsername), options.availableSecret(ProxyPassword)) match {
      case (Some(username), Some(password)) =>
        Some(ProxySignIn(username, password, options(ProxySchemeOption)))
      case (None, None) => None
      case (Some(_), None) => throw half(ProxyPassword, ProxyUsername)
      case (None, Some(_)) => throw half(ProxyUsername, ProxyPassword)
    }
    ProxySettings(options.get(ProxyAddressOption), signIn)
  }

  private def half(missing: EventHubsOption[String], set: EventHubsOption[String]) =
    EventHubsErrors.missingOption(missing.key, s"'${set.key}' is set, and a sign-in needs both.")
}
