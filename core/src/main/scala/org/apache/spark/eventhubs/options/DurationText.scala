package org.apache.spark.eventhubs.options

import java.time.Duration
import java.time.temporal.ChronoUnit
import java.util.Locale

import scala.util.Try

/** Parses ISO-8601 durations (`PT1M30S`) and Spark's form (`30s`, `5 minutes`). A number needs a unit. */
private[eventhubs] object DurationText {

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
