package org.apache.spark.eventhubs.options

import java.util.Locale

import org.apache.spark.eventhubs.EventHubsErrors

/** Sorts what a user wrote into options of the table, and refuses what would otherwise do nothing without a word. */
private[spark] object OptionsCheck {

  /**
   * Keys without our prefix are Spark's own (`path`, `checkpointLocation`) and pass. A key whose value is null, as Python's
   * None arrives, is not set.
   *
   * @throws EventHubsException EVENTHUBS_UNKNOWN_OPTION, EVENTHUBS_UNSUPPORTED_OPTION, EVENTHUBS_CONFLICTING_OPTIONS
   */
  def apply(options: Map[String, String]): ParsedOptions = {
    val set = options.toSeq.filter { case (_, value) => Option(value).isDefined }.sortBy(_._1)
    val known = for ((name, value) <- set; option <- EventHubsOptions.find(name)) yield Given(option, name, value)
    val checked = new ParsedOptions(known.groupBy(_.option.key).view.mapValues(once).toMap, Nil)
    val lenient = checked(ConnectionOptions.IgnoreUnknownOptions)
    val warnings = for {
      (name, value) <- set
      if EventHubsOptions.isOurs(name) && EventHubsOptions.find(name).isEmpty
      warning <- LegacyOptions.find(name).fold(unknown(name, lenient)) { case (key, fate) =>
        former(key, value, fate, lenient)
      }
    } yield warning
    checked.copy(warnings = warnings)
  }

  private final case class Given(option: EventHubsOption[_], name: String, value: String)

  /** An option may stand under its key and an alias, as long as they agree. */
  private def once(same: Seq[Given]): String = {
    val first = same.head
    same.find(_.value.trim != first.value.trim).foreach { other =>
      throw EventHubsErrors.conflictingOptions(
        s"'${first.name}' is '${first.option.shown(first.value)}' and '${other.name}', which means the same, is " +
          s"'${other.option.shown(other.value)}'",
        s"Keep '${first.option.key}' only."
      )
    }
    first.value
  }

  private def unknown(name: String, lenient: Boolean): Option[String] = {
    // Without the prefix, which all have and which would make every key seem near.
    val near = EditDistance
      .nearest(
        name.drop(EventHubsOptions.Prefix.length),
        EventHubsOptions.all.map(_.key.drop(EventHubsOptions.Prefix.length))
      )
      .map(EventHubsOptions.Prefix + _)
    if (lenient) Some(s"'$name' is not an option and does nothing" + near.fold("")(key => s"; '$key' is one"))
    else throw EventHubsErrors.unknownOption(name, near)
  }

  private def former(key: String, value: String, fate: LegacyOptions.Fate, lenient: Boolean): Option[String] =
    fate match {
      case LegacyOptions.Ignored(why) => Some(s"'$key' $why")
      case LegacyOptions.Refused(_, harmless) if harmless(value.trim.toLowerCase(Locale.ROOT)) => None
      case LegacyOptions.Refused(instead, _) if lenient =>
        Some(s"'$key' of the legacy connector does nothing. $instead")
      case LegacyOptions.Refused(instead, _) => throw EventHubsErrors.unsupportedOption(key, instead)
    }
}
