package org.apache.spark.eventhubs.options

import java.util.Locale

import org.apache.spark.eventhubs.EventHubsErrors

/** Finds a user's options in the option table. It rejects options that would silently have no effect. */
private[spark] object OptionsParser {

  /**
   * Keys without the prefix are Spark's (`path`, `checkpointLocation`) and are ignored. A null value, such as Python's
   * None, counts as not set.
   *
   * @throws EventHubsException EVENTHUBS_UNKNOWN_OPTION, EVENTHUBS_UNSUPPORTED_OPTION, EVENTHUBS_CONFLICTING_OPTIONS
   */
  def parse(options: Map[String, String]): ParsedOptions = {
    val present = options.toSeq.filter { case (_, value) => Option(value).isDefined }.sortBy(_._1)
    val found =
      for ((name, value) <- present; option <- EventHubsOptions.find(name)) yield SetOption(option, name, value)
    val parsed = ParsedOptions(found.groupBy(_.option.key).view.mapValues(single).toMap, Nil)
    val lenient = parsed(ConnectionOptions.IgnoreUnknownOptions)
    val warnings = for {
      (name, value) <- present
      if EventHubsOptions.hasPrefix(name) && EventHubsOptions.find(name).isEmpty
      warning <- LegacyOptions.find(name).fold(unknown(name, lenient)) { case (key, treatment) =>
        legacy(key, value, treatment, lenient)
      }
    } yield warning
    parsed.copy(warnings = warnings)
  }

  private final case class SetOption(option: EventHubsOption[_], name: String, value: String)

  /** A user may set an option by its key and by an alias if the values are equal. */
  private def single(same: Seq[SetOption]): String = {
    val first = same.head
    same.find(_.value.trim != first.value.trim).foreach { other =>
      throw EventHubsErrors.conflictingOptions(
        s"'${first.name}' is '${first.option.shown(first.value)}' and '${other.name}', another name of it, is " +
          s"'${other.option.shown(other.value)}'",
        s"Set '${first.option.key}' only."
      )
    }
    first.value
  }

  private def unknown(name: String, lenient: Boolean): Option[String] = {
    // Compares without the shared prefix, which would make every key seem near.
    val near = EditDistance
      .nearest(
        name.drop(EventHubsOptions.Prefix.length),
        EventHubsOptions.all.map(_.key.drop(EventHubsOptions.Prefix.length))
      )
      .map(EventHubsOptions.Prefix + _)
    if (lenient) Some(s"'$name' is not an option and has no effect" + near.fold("")(key => s"; did you mean '$key'?"))
    else throw EventHubsErrors.unknownOption(name, near)
  }

  private def legacy(key: String, value: String, treatment: LegacyOptions.Treatment, lenient: Boolean): Option[String] =
    treatment match {
      case LegacyOptions.Ignored(why) => Some(s"'$key' $why")
      case LegacyOptions.Refused(_, harmlessValues) if harmlessValues(value.trim.toLowerCase(Locale.ROOT)) => None
      case LegacyOptions.Refused(instead, _) if lenient =>
        Some(s"'$key' is an option of the legacy connector and has no effect. $instead")
      case LegacyOptions.Refused(instead, _) => throw EventHubsErrors.unsupportedOption(key, instead)
    }
}
