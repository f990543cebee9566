package org.apache.spark.eventhubs.options

import java.time.Duration

import testkit.TestSuite

class DurationTextSuite extends TestSuite {

  Seq(
    "PT30S" -> Duration.ofSeconds(30),
    "pt30s" -> Duration.ofSeconds(30),
    "PT00H00M30S" -> Duration.ofSeconds(30),
    "PT0H3M20S" -> Duration.ofSeconds(200),
    "P1DT1H" -> Duration.ofHours(25),
    "PT0.5S" -> Duration.ofMillis(500),
    "30s" -> Duration.ofSeconds(30),
    " 30 s " -> Duration.ofSeconds(30),
    "30 seconds" -> Duration.ofSeconds(30),
    "250ms" -> Duration.ofMillis(250),
    "5 min" -> Duration.ofMinutes(5),
    "5m" -> Duration.ofMinutes(5),
    "1 Hour" -> Duration.ofHours(1),
    "2d" -> Duration.ofDays(2)
  ).foreach { case (text, duration) =>
    test(s"'$text' is $duration")(assert(DurationText.parse(text).contains(duration)))
  }

  Seq("", "30", "s", "30 parsecs", "PT", "soon", "99999999999999999999s", "9223372036854775807d").foreach { text =>
    test(s"'$text' is not a duration")(assert(DurationText.parse(text).isEmpty))
  }
}
