package org.apache.spark.eventhubs

import scala.jdk.CollectionConverters._
import scala.util.matching.Regex

/** The error conditions of `error/eventhubs-error-conditions.json`. In a message template, `<name>` is a parameter. */
private[spark] object ErrorConditions {

  private val Placeholder = "<([A-Za-z]+)>".r

  private val Secret = "(?i)\\b(sig|SharedAccessKey|SharedAccessSignature|AccountKey)(\\s*=\\s*['\"]?)[^;&\\s'\"]+".r

  /** Something that the connector did not expect, so the place in the code and the cause matter. */
  private val Unexpected = Set("EVENTHUBS_SERVICE", "EVENTHUBS_RECEIVE_FAILED", "EVENTHUBS_MALFORMED_EVENT")

  final case class Entry(template: String, sqlState: String)

  lazy val entries: Map[String, Entry] = {
    val stream = getClass.getResourceAsStream("/error/eventhubs-error-conditions.json")
    try
      Json.mapper
        .readTree(stream)
        .properties
        .asScala
        .map { field =>
          val lines = field.getValue.get("message").elements.asScala.map(_.asText)
          field.getKey -> Entry(lines.mkString(" "), field.getValue.get("sqlState").asText)
        }
        .toMap
    finally stream.close()
  }

  /** One pass, so that a parameter value that looks like a placeholder is not replaced. */
  def message(condition: String, parameters: Map[String, String]): String =
    s"[$condition] " + Placeholder.replaceAllIn(
      entry(condition).template,
      found => Regex.quoteReplacement(parameters.getOrElse(found.group(1), found.matched))
    )

  /** The text with *** in place of each key and signature, wherever a user or the SDK has put them. */
  def withoutSecrets(text: String): String = Secret.replaceAllIn(text, "$1$2***")

  def sqlState(condition: String): String = entry(condition).sqlState

  /** Whether the message alone explains the failure. */
  def isRefusal(condition: String): Boolean = !Unexpected(condition)

  private def entry(condition: String): Entry =
    entries.getOrElse(condition, throw new IllegalArgumentException(s"'$condition' is not an error condition"))
}
