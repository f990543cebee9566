package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.credentials.SecretText
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException, Secret}

/**
 * The options that a user set. Values are parsed on access.
 *
 * @param texts    value texts by canonical key
 * @param warnings about keys that have no effect
 */
private[eventhubs] final case class ParsedOptions(texts: Map[String, String], warnings: Seq[String]) {

  /** The value that the user set, else the default, else None. */
  def get[A](option: EventHubsOption[A]): Option[A] = explicit(option).orElse(option.default)

  /** The value that the user set. */
  def explicit[A](option: EventHubsOption[A]): Option[A] =
    texts.get(option.key).map(text =>
      option.valueType.parse(text).fold(expected => throw invalid(option, expected), identity)
    )

  /** A secret option's value. It may name a place, which is not read here. */
  def secret(option: EventHubsOption[String]): Option[Secret] = get(option).map(text =>
    SecretText.parse(option.key, text).fold(expected => throw invalid(option, expected), identity)
  )

  /** Returns the [[secret]] after a check that this machine has it. */
  def availableSecret(option: EventHubsOption[String]): Option[Secret] = {
    val found = secret(option)
    found.foreach(_.value)
    found
  }

  /** The value of an option that has a default. */
  def apply[A](option: EventHubsOption[A]): A =
    get(option).getOrElse(throw EventHubsErrors.missingOption(option.key, option.doc))

  def isSet(option: EventHubsOption[_]): Boolean = texts.contains(option.key)

  /** The error for an invalid value. It shows the value unless it is secret. */
  def invalid(option: EventHubsOption[_], expected: String): EventHubsException =
    EventHubsErrors.invalidOption(option.key, shortened(option.shown(texts.getOrElse(option.key, ""))), expected)

  /** All set options, without secrets. */
  def shown: String = EventHubsOptions.all
    .flatMap(option => texts.get(option.key).map(text => s"${option.key}=${option.shown(text)}"))
    .mkString(", ")

  override def toString: String = s"ParsedOptions($shown)"

  private def shortened(text: String): String = if (text.length <= 200) text else s"${text.take(200)}…"
}
