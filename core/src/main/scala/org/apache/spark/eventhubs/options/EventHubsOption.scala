package org.apache.spark.eventhubs.options

/**
 * One entry of the option table. The parser, the checks, the documentation and the Python table use it.
 *
 * @param key       canonical, with the prefix `eventhubs.`; users may write it in any case
 * @param default   None if no value of the option describes its absence; `whenUnset` then describes it
 * @param secret    texts show its value as `***`
 */
private[spark] final case class EventHubsOption[A](
    key: String,
    valueType: OptionType[A],
    default: Option[A],
    doc: String,
    scope: OptionScope,
    whenUnset: String = "",
    aliases: Seq[String] = Nil,
    secret: Boolean = false
) {
  def defaultText: Option[String] = default.map(valueType.render)

  /** The value for logs and errors. A blank text is no secret. */
  def shown(value: String): String = if (secret && value.trim.nonEmpty) "***" else valueType.shown(value)
}

/** Where an option applies. A query ignores options of the other direction, so that both can share a set of options. */
private[spark] sealed abstract class OptionScope(val name: String)
private[spark] object OptionScope {
  case object Connection extends OptionScope("connection")
  case object Read extends OptionScope("read")
  case object Write extends OptionScope("write")

  /** Functions that use a schema registry. */
  case object Registry extends OptionScope("registry")
}
