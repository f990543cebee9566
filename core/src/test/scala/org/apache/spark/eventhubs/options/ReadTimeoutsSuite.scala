package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.EventHubsException
import testkit.TestSuite

class ReadTimeoutsSuite extends TestSuite {

  private def timeouts(operation: String, receiver: String, fromString: String = ""): (Long, Long) = {
    val options = Map("eventhubs.operationTimeout" -> operation, "eventhubs.receiverTimeout" -> receiver)
    val found =
      ReadTimeouts.parse(
        OptionsParser.parse(options.filter(_._2.nonEmpty)),
        Some(fromString).filter(_.nonEmpty).map(Duration.parse(_))
      )
    (found.operation.toSeconds, found.receiver.toSeconds)
  }

  Seq(
    ("", "", "") -> ((60L, 60L)),
    ("30s", "", "") -> ((30L, 30L)),
    ("120s", "", "") -> ((120L, 60L)),
    ("", "30s", "") -> ((60L, 30L)),
    ("", "120s", "") -> ((120L, 120L)),
    ("", "", "PT20S") -> ((20L, 20L)),
    ("", "30s", "PT20S") -> ((30L, 30L)),
    ("90s", "30s", "PT20S") -> ((90L, 30L)),
    ("40s", "40s", "") -> ((40L, 40L))
  ).foreach { case ((operation, receiver, fromString), expected) =>
    test(s"operation '$operation', receiver '$receiver' and connection string '$fromString' give $expected") {
      assert(timeouts(operation, receiver, fromString) == expected)
    }
  }

  test("timeouts that contradict each other are rejected") {
    assert(intercept[EventHubsException](timeouts("20s", "40s")).getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
  }
}
