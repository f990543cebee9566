package org.apache.spark.eventhubs.options

/**
 * One option, all that is known about it: the parser, the checks, the documentation and the Python table are made from it.
 *
 * @param key      canonical, with the prefix `eventhubs.`; users write it in any case
 * @param default  None when leaving the option out means something that is no value of it, which `whenUnset` says
 * @param secret   its value appears as `***` wherever it is shown
 * @param since    version of the connector that first had it
 */
final case class EventHubsOption[A](
    key: String,
    valueType: OptionType[A],
    default: Option[A],
    doc: String,
    scope: OptionScope,
    whenUnset: String = "",
    aliases: Seq[String] = Nil,
    secret: Boolean = false,
    since: String = "0.1.0"
) {
  def defaultText: Option[String] = default.map(valueType.render)

  /** The value as it may be shown. */
  def shown(value: String): String = if (secret) "***" else value
}

/** Where an option has its meaning. A query passes over those of the other direction, so that both can share a set of options. */
sealed abstract class OptionScope(val name: String)
object OptionScope {
  case object Connection extends OptionScope("connection")
  case object Read extends OptionScope("read")
  case object Write extends OptionScope("write")
}
