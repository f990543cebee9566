package org.apache.spark.eventhubs.options

import java.util.Locale

/** What a name was probably meant to be that is neither an option nor one of the legacy connector. */
private[eventhubs] sealed trait NameGuess

private[eventhubs] object NameGuess {

  /** The name belongs to Spark or to the user. */
  case object NotOurs extends NameGuess

  /** @param nearest key of the option that was probably meant */
  final case class Misspelt(nearest: Option[String]) extends NameGuess

  /** @param instead what to do here, without its full stop */
  final case class OfKafka(instead: String) extends NameGuess
}

/**
 * Guesses what a name was meant to be.
 *
 * @param prefix of all keys, in lower case, with its dot
 * @param keys   of the options
 */
private[eventhubs] final class NameGuesses(prefix: String, keys: Seq[String]) {
  import NameGuess._

  private val family = prefix.stripSuffix(".")
  private val singular = family.stripSuffix("s")
  private val shortNames = keys.map(_.drop(prefix.length))
  // Written as the keywords of Python's EventHubsConf, such as max_events_per_trigger, or with other separators.
  private val byLetters = shortNames.map(short => letters(short) -> short).toMap ++
    Map("fullyqualifiednamespace" -> "namespace", "maxretries" -> "retry.maxRetries")
  private val common = Set("name", "partition", "topic", "maxretries")
  private val namespaces = Seq("azure.", "spark.")

  def of(name: String): NameGuess = {
    val lower = name.toLowerCase(Locale.ROOT)
    withoutPrefix(lower).map(rest => Misspelt(key(EditDistance.nearest(rest, shortNames))))
      .orElse(KafkaOptions.instead(name).map(OfKafka))
      .orElse(byLetters.get(letters(name)).map(short => Misspelt(key(Some(short)))))
      .orElse(EditDistance.typo(name, shortNames).map(short => Misspelt(key(Some(short)))))
      .orElse(EditDistance.typo(name, KafkaOptions.all.map(_._1)).flatMap(KafkaOptions.instead).map(OfKafka))
      .getOrElse(NotOurs)
  }

  /** Whether sources, sinks and users of other kinds have this name too, so that options may be shared with them. */
  def isCommon(name: String): Boolean = common.contains(name.toLowerCase(Locale.ROOT))

  private def letters(name: String): String = name.filter(_.isLetterOrDigit).toLowerCase(Locale.ROOT)

  private def key(shortName: Option[String]): Option[String] = shortName.map(prefix + _)

  /** What follows our prefix, or a form of it such as `eventhub.`, `eventHub` and `spark.eventhubs.`. */
  private def withoutPrefix(lower: String): Option[String] = {
    val bare = namespaces.find(lower.startsWith).fold(lower)(lower.stripPrefix)
    val first = bare.takeWhile(_ != '.')
    if (bare.startsWith(singular)) Some(bare.stripPrefix(singular).stripPrefix("s").dropWhile(!_.isLetter))
    else Option.when(first != bare && EditDistance.between(first, family) <= 2)(bare.drop(first.length + 1))
  }
}
