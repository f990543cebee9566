package org.apache.spark.eventhubs.options

import java.net.URI
import java.time.Duration
import java.util.Locale
import java.util.regex.Pattern

import org.apache.spark.eventhubs.{Credential, EventHubName, EventHubsErrors}

/**
 * Settings of an AMQP connection. Equal settings share connections. Unequal settings never do, so a query never uses
 * another query's credential. `toString` shows no secrets. Of a query with several event hubs, the name of `hub` is
 * their list, and [[ofHub]] gives the settings of each one's connections.
 *
 * @param port                port of the endpoint; None is the transport's default port
 * @param developmentEmulator plain AMQP without TLS, from `UseDevelopmentEmulator=true`
 * @param customEndpoint      host of the socket (private link, proxy); TLS and tokens still use the namespace
 * @param operationTimeout    longest time for one operation of the service, retries included
 * @param proxy               of a WebSocket connection
 * @param trustedCertificates path of a PEM file; None trusts what the JVM trusts
 */
private[spark] final case class ConnectionSettings(
    hub: EventHubName,
    port: Option[Int],
    credential: Credential,
    developmentEmulator: Boolean,
    transport: Transport,
    customEndpoint: Option[URI],
    operationTimeout: Duration,
    maxRetries: Int,
    proxy: ProxySettings = ProxySettings.Unset,
    trustedCertificates: Option[String] = None
) {

  /** Returns the settings for another of the namespace's event hubs. */
  def ofHub(name: String): ConnectionSettings = copy(hub = hub.copy(name = name))
}

private[spark] object ConnectionSettings {
  import ConnectionOptions.{ConnectionString => StringOption, _}

  /**
   * An option overrides the same part of the connection string. The names of namespace and hub must be equal.
   *
   * @param unnamed the hub's name where neither names it; None makes that an error
   */
  def parse(options: ParsedOptions, unnamed: Option[String] = None): ConnectionSettings = {
    val string = options.secret(StringOption).map(ConnectionString.of)
    val namespace = agreed(options, Namespace, string.map(_.host), "Endpoint").getOrElse(throw noNamespace)
    val name = hubName(options, string.flatMap(_.entityPath)).orElse(unnamed).getOrElse(throw noName)
    val credential = AuthenticationType.credential(options, string.flatMap(_.credential))
    if (string.exists(_.developmentEmulator)) requireSharedAccess(credential)
    val transport =
      options.explicit(TransportOption).orElse(string.flatMap(_.transport)).getOrElse(options(TransportOption))
    ConnectionSettings(
      hub = EventHubName(namespace, name),
      port = string.flatMap(_.port),
      credential = credential,
      developmentEmulator = string.exists(_.developmentEmulator),
      transport = transport,
      customEndpoint = options.get(CustomEndpoint),
      operationTimeout = options.explicit(OperationTimeout)
        .orElse(string.flatMap(_.operationTimeout))
        .getOrElse(options(OperationTimeout)),
      maxRetries = options(MaxRetries),
      proxy = ProxySettings.parse(options, transport),
      trustedCertificates = options.get(TrustedCertificates)
    )
  }

  /**
   * Parses the settings of a read, which may name several hubs. With a pattern, the pattern is the name of the
   * settings' hub.
   */
  def toRead(options: ParsedOptions): (ConnectionSettings, HubSelection) =
    options.get(ReadOptions.NamePattern) match {
      case None =>
        if (options.isSet(ReadOptions.NamePatternInterval)) throw noPattern
        val connection = parse(options)
        (connection, HubSelection.of(connection.hub.name))
      case Some(pattern) =>
        val selection = HubSelection.Matching(pattern, options(ReadOptions.NamePatternInterval))
        def conflict(other: String, how: String) =
          EventHubsErrors.conflictingOptions(s"'${ReadOptions.NamePattern.key}' is '$pattern' and $other", how)
        options.get(Name).foreach(name => throw conflict(s"'${Name.key}' is '$name'", "Set only one of them."))
        val connection = parse(options, unnamed = Some(pattern))
        val named = connection.hub.name
        if (named != pattern && !selection.includes(named))
          throw conflict(
            s"the connection string's EntityPath is '$named', which does not match",
            "Remove EntityPath from the connection string, or correct the pattern."
          )
        (connection.ofHub(pattern), selection)
    }

  /** A list names the connection string's hub too: the hub that the string is for is one of those that are read. */
  private def hubName(options: ParsedOptions, entityPath: Option[String]): Option[String] =
    options.get(Name).filter(HubSelection.isList) match {
      case Some(list) =>
        entityPath.filterNot(HubSelection.of(list).includes).foreach { other =>
          throw EventHubsErrors.conflictingOptions(
            s"'${Name.key}' is '$list' and the connection string's EntityPath is '$other', which is not in the list",
            "Add it to the list, or remove EntityPath from the connection string."
          )
        }
        Some(HubSelection.normalized(list))
      case None => agreed(options, Name, entityPath, "EntityPath").map(HubSelection.normalized)
    }

  private def agreed(
      options: ParsedOptions,
      option: EventHubsOption[String],
      inString: Option[String],
      partName: String
  ): Option[String] = {
    val inOptions = options.get(option)
    for (set <- inOptions; part <- inString if !set.equalsIgnoreCase(part))
      throw EventHubsErrors.conflictingOptions(
        s"'${option.key}' is '$set' and the connection string's $partName is '$part'",
        "Remove the wrong one."
      )
    inString.orElse(inOptions)
  }

  /** The emulator does not accept Entra tokens, and a token must not be sent without TLS. */
  private def requireSharedAccess(credential: Credential): Unit = credential match {
    case _: Credential.SharedAccess => ()
    case _ =>
      throw EventHubsErrors.conflictingOptions(
        s"the connection string has UseDevelopmentEmulator=true and '${AuthType.key}' is a Microsoft Entra type",
        "Use a connection string with a key for a local hub."
      )
  }

  private def noNamespace = EventHubsErrors.missingOption(
    StringOption.key,
    s"Set it to the event hub's connection string, or set '${Namespace.key}', '${Name.key}' and '${AuthType.key}'."
  )

  private def noPattern = EventHubsErrors.missingOption(
    ReadOptions.NamePattern.key,
    s"'${ReadOptions.NamePatternInterval.key}' is set, and needs it."
  )

  private def noName = EventHubsErrors.missingOption(
    Name.key,
    "Set it to the event hub's name, or add ';EntityPath=<name>' to the connection string."
  )
}

private[eventhubs] sealed trait Transport
private[eventhubs] object Transport {
  case object Amqp extends Transport
  case object AmqpWebSockets extends Transport
}

/** Which event hubs of the namespace a query reads. */
private[spark] sealed trait HubSelection {

  /** Whether the options name one hub. A pattern may match one hub today and two tomorrow. */
  def isOne: Boolean

  /** Whether the query reads a hub of this name, in any case. */
  def includes(hub: String): Boolean
}

private[spark] object HubSelection {

  /**
   * @param pattern         regular expression of a whole name, in any case
   * @param refreshInterval time between two lists of the namespace's hubs, at least
   */
  final case class Matching(pattern: String, refreshInterval: Duration) extends HubSelection {
    @transient private lazy val compiled = Pattern.compile(pattern, Pattern.CASE_INSENSITIVE)

    override def isOne: Boolean = false

    override def includes(hub: String): Boolean = compiled.matcher(hub).matches
  }

  /** @param names as the user wrote them, in alphabetical order, each once */
  final case class Listed(names: Seq[String]) extends HubSelection {
    override def isOne: Boolean = names.size == 1

    override def includes(hub: String): Boolean = names.exists(_.equalsIgnoreCase(hub))
  }

  private val Separator = ","

  private val Expected = "names of event hubs, each once, with a comma between them"

  /** Whether a value of `eventhubs.name` is a list. The name of an event hub has no comma. */
  def isList(name: String): Boolean = name.contains(Separator)

  /**
   * The hubs of a value of `eventhubs.name`.
   *
   * @throws EventHubsException EVENTHUBS_INVALID_OPTION for a missing name and for one that occurs twice
   */
  def of(name: String): Listed = if (!isList(name)) Listed(Seq(name))
  else {
    val names = name.split(Separator, -1).toSeq.map(_.trim)
    val distinct = names.map(lower).distinct
    if (names.exists(_.isEmpty) || distinct.size < names.size)
      throw EventHubsErrors.invalidOption(ConnectionOptions.Name.key, name, Expected)
    Listed(names.sortBy(lower))
  }

  /** One text for the same hubs in any order, for settings and reports. */
  def normalized(name: String): String = of(name).names.mkString(Separator)

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
