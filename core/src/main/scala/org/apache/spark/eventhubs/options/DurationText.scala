package org.apache.spark.eventhubs.options

import java.time.Duration
import java.time.temporal.ChronoUnit
import java.util.Locale

import scala.util.Try

/** Durations as ISO-8601 (`PT1M30S`) or as Spark writes them (`30s`, `5 minutes`). A bare number has no unit, so it is none. */
private[spark] object DurationText {

  private val WithUnit = """(\d+)\s*([a-z]+)""".r

  private val units: Map[String, ChronoUnit] = Map(
    ChronoUnit.MILLIS -> Seq("ms", "millisecond", "milliseconds"),
    ChronoUnit.SECONDS -> Seq("s", "sec", "second", "seconds"),
    ChronoUnit.MINUTES -> Seq("m", "min", "minute", "minutes"),
    ChronoUnit.HOURS -> Seq("h", "hour", "hours"),
    ChronoUnit.DAYS -> Seq("d", "day", "days")
  ).flatMap { case (unit, names) => names.map(_ -> unit) }

  def parse(text: String): Option[Duration] = text.trim.toLowerCase(Locale.ROOT) match {
    case WithUnit(number, name) => units.get(name).flatMap(unit => Try(Duration.of(number.toLong, unit)).toOption)
    case iso => Try(Duration.parse(iso)).toOption
  }
}
