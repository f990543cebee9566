package org.apache.spark.eventhubs.options

import scala.util.Try

import org.apache.spark.eventhubs.EventHubsErrors

/**
 * The options of a function that decodes or encodes bodies. They hold no secret, only the places of secrets: Spark
 * shows the arguments of functions in its plans.
 *
 * @param version      None is the newest one
 * @param readerSchema text of the schema that gives the columns, instead of one of the registry, or that is written
 */
private[spark] final case class RegistrySettings(
    connection: ConnectionSettings,
    group: Option[String],
    schema: Option[String],
    version: Option[Int],
    readerSchema: Option[String],
    mode: DecodeMode
) {

  /** The hub's name, if the options have one. */
  def hub: Option[String] = Some(connection.hub.name).filter(_ != RegistrySettings.NoHub)
}

private[spark] object RegistrySettings {
  import RegistryOptions._

  /** A registry belongs to a namespace. */
  private val NoHub = "(schema registry)"

  /** @throws EventHubsException EVENTHUBS_INVALID_OPTION for a secret, and as for the options of a read */
  def parse(options: Map[String, String]): RegistrySettings = {
    for ((name, value) <- options; option <- Option(value).flatMap(EventHubsOptions.secret(name, _)) if !isLocal(value))
      throw EventHubsErrors.invalidOption(
        option.key,
        "***",
        "where the secret is kept, as {env:NAME}, {file:/path} or {hadoop:alias}, or an identity without a secret, " +
          "because Spark shows the arguments of functions in its plans"
      )
    val parsed = OptionsParser.parse(options)
    RegistrySettings(
      ConnectionSettings.parse(parsed, unnamed = Some(NoHub)),
      parsed.get(Group),
      parsed.get(Schema),
      parsed.get(Version),
      parsed.get(ReaderSchema),
      parsed(Mode)
    )
  }

  /** The key of a local hub goes over the network without TLS, so it protects nothing. */
  private def isLocal(value: String): Boolean =
    Try(ConnectionString.parse(value)).toOption.exists(_.developmentEmulator)
}
