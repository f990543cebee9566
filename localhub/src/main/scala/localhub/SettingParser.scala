package localhub

import java.time.Duration
import java.time.format.DateTimeParseException

/** Parses durations, sizes and counts from a URL, a command line or a file. */
private[localhub] object SettingParser {
  private val Amount = """(\d{1,12})(ms|s|m|h|d)""".r
  private val Size = """(?i)(\d{1,15})(b|kb|mb|gb|)""".r

  /** `90s`, `1h`, `7d` or ISO-8601 such as `PT1H`. */
  def duration(name: String, text: String): Duration = text match {
    case Amount(number, "ms") => Duration.ofMillis(number.toLong)
    case Amount(number, "s") => Duration.ofSeconds(number.toLong)
    case Amount(number, "m") => Duration.ofMinutes(number.toLong)
    case Amount(number, "h") => Duration.ofHours(number.toLong)
    case Amount(number, "d") => Duration.ofDays(number.toLong)
    case other =>
      try Duration.parse(other)
      catch { case _: DateTimeParseException => throw invalid(name, text, "a duration such as 90s, 1h, 7d or PT1H") }
  }

  /** `1000000`, `64MB`, `1gb`; units are powers of 1024. */
  def bytes(name: String, text: String): Long = text match {
    case Size(number, unit) =>
      val factor = unit.toLowerCase match {
        case "kb" => 1L << 10
        case "mb" => 1L << 20
        case "gb" => 1L << 30
        case _ => 1L
      }
      try Math.multiplyExact(number.toLong, factor)
      catch { case _: ArithmeticException => throw invalid(name, text, "a size below 2^63 bytes") }
    case _ => throw invalid(name, text, "a number of bytes such as 1000000, 64MB or 1GB")
  }

  def count(name: String, text: String): Int =
    text.toIntOption.getOrElse(throw invalid(name, text, "a whole number"))

  /**
   * A cleanup policy, `compact` or `delete`, and the two times that only `compact` has.
   */
  def compaction(
      names: CompactionNames,
      policy: Option[String],
      tombstoneRetention: Option[String],
      minLag: Option[String]
  ): Option[Compaction] = {
    val isCompact = policy.exists(_.equalsIgnoreCase("compact"))
    policy.foreach { text =>
      if (!isCompact && !text.equalsIgnoreCase("delete")) throw invalid(names.policy, text, "compact or delete")
    }
    if (!isCompact)
      Seq(names.tombstoneRetention -> tombstoneRetention, names.minLag -> minLag).foreach { case (name, value) =>
        value.foreach(text => throw invalid(name, text, s"${names.policy} compact with it"))
      }
    Option.when(isCompact)(
      Compaction(
        tombstoneRetention.fold(Compaction.DefaultTombstoneRetention)(duration(names.tombstoneRetention, _)),
        minLag.fold(Compaction.DefaultMinLag)(duration(names.minLag, _))
      )
    )
  }

  private def invalid(name: String, text: String, expected: String) =
    new InvalidHubException(s"$name is '$text'; expected $expected.")
}

/** What the settings of a compaction are called in a URL, on a command line or in a file. */
private[localhub] final case class CompactionNames(policy: String, tombstoneRetention: String, minLag: String)
