package org.apache.spark.eventhubs.options

import java.util.Locale

import org.apache.spark.eventhubs.EventHubsErrors

/** Finds a user's options in the option table. It rejects options that would silently have no effect. */
private[spark] object OptionsParser {

  private val guesses = new NameGuesses(EventHubsOptions.Prefix, EventHubsOptions.all.map(_.key))

  /**
   * Keys without the prefix are Spark's (`path`, `checkpointLocation`) and are ignored, unless they are an option of
   * ours without its prefix, nearly one, or an option of Spark's Kafka source. A name that many sources and users have
   * causes a warning only. A null value, such as Python's None, counts as not set.
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
      if EventHubsOptions.find(name).isEmpty
      warning <- LegacyOptions.find(name).fold(unknown(name, lenient || guesses.isCommon(name))) {
        case (key, treatment) =>
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

  private def unknown(name: String, lenient: Boolean): Option[String] = guesses.of(name) match {
    case NameGuess.NotOurs => None
    case NameGuess.Misspelt(near) if lenient =>
      Some(s"'$name' is not an option and has no effect" + near.fold("")(key => s"; did you mean '$key'?"))
    case NameGuess.Misspelt(near) => throw EventHubsErrors.unknownOption(name, near)
    case NameGuess.OfKafka(instead) if lenient =>
      Some(s"'$name' is an option of Spark's Kafka connector and has no effect. $instead.")
    case NameGuess.OfKafka(instead) => throw EventHubsErrors.kafkaOption(name, instead)
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
