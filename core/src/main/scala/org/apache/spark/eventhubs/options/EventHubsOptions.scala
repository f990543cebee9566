package org.apache.spark.eventhubs.options

import java.util.Locale

import scala.util.Try

import org.apache.spark.eventhubs.credentials.SecretText

/** The table of all options that a user may set. */
private[spark] object EventHubsOptions {

  /** Keys with this prefix are the connector's. Other keys belong to Spark or the user, unless they are aliases. */
  val Prefix = "eventhubs."

  val all: Seq[EventHubsOption[_]] =
    ConnectionOptions.all ++ ReadOptions.all ++ CheckpointStoreOptions.all ++ WriteOptions.all ++ RegistryOptions.all

  private val byName: Map[String, EventHubsOption[_]] =
    (for (option <- all; name <- option.key +: option.aliases) yield lower(name) -> option).toMap

  /** Finds an option by key or alias, in any case. */
  def find(name: String): Option[EventHubsOption[_]] = byName.get(lower(name))

  /** Usable before the options are parsed, because Spark selects the V1 or V2 interface first. */
  def isOn(flag: EventHubsOption[Boolean], options: Map[String, String]): Boolean =
    options.exists { case (name, value) => find(name).contains(flag) && value.trim.equalsIgnoreCase("true") }

  /** Whether an option of any type has this value. */
  def isSetTo[A](option: EventHubsOption[A], value: A, options: Map[String, String]): Boolean =
    options.exists { case (name, text) => find(name).contains(option) && option.valueType.parse(text).contains(value) }

  /**
   * The option of this name if the value is secret. A connection string without a credential is not, a container's URL
   * without a query is not, and neither is the place of a secret.
   */
  def secret(name: String, value: String): Option[EventHubsOption[_]] = find(name).filter { option =>
    option match {
      case secret if secret.secret && SecretText.isReference(value) => false
      case ConnectionOptions.ConnectionString =>
        Try(ConnectionString.parse(value)).toOption.forall(_.credential.isDefined)
      case CheckpointStoreOptions.Container => value.contains("?") || value.contains(";")
      case _ => option.secret
    }
  }

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
