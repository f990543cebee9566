package org.apache.spark.eventhubs.options

import java.util.Locale

/** The table of all options. What a user may write is here and nowhere else. */
private[spark] object EventHubsOptions {

  /** Keys that begin so are ours; all others belong to Spark or to the user, unless they are an alias. */
  val Prefix = "eventhubs."

  val all: Seq[EventHubsOption[_]] = ConnectionOptions.all ++ ReadOptions.all ++ WriteOptions.all

  private val byName: Map[String, EventHubsOption[_]] =
    (for (option <- all; name <- option.key +: option.aliases) yield lower(name) -> option).toMap

  /** By key or alias, in any case. */
  def find(name: String): Option[EventHubsOption[_]] = byName.get(lower(name))

  /** Asked before the options are checked: Spark chooses its interface before it uses it. */
  def isOn(flag: EventHubsOption[Boolean], options: Map[String, String]): Boolean =
    options.exists { case (name, value) => find(name).contains(flag) && value.trim.equalsIgnoreCase("true") }

  /** As [[isOn]], for an option with a few words. */
  def isSetTo[A](option: EventHubsOption[A], value: A, options: Map[String, String]): Boolean =
    options.exists { case (name, text) => find(name).contains(option) && option.valueType.parse(text).contains(value) }

  def isOurs(name: String): Boolean = lower(name).startsWith(Prefix)

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
