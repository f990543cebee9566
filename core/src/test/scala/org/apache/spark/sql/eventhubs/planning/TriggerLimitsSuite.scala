package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.sql.connector.read.streaming.{CompositeReadLimit, ReadLimit}
import org.apache.spark.sql.eventhubs.compat.BytesLimit
import testkit.TestSuite

class TriggerLimitsSuite extends TestSuite {

  private def settings(options: (String, String)*): ReadSettings = ReadSettings.parse(
    Map(
      "eventhubs.connectionString" ->
        "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=c2VjcmV0;EntityPath=telemetry"
    ) ++ options,
    ReadMode.Stream
  )

  private def limits(options: (String, String)*): TriggerLimits = TriggerLimits.of(settings(options: _*))

  test("without options all events are read") {
    assert(limits().readLimit == ReadLimit.allAvailable())
    assert(limits().eventLimit(None).isEmpty)
  }

  test("one option is one Spark limit, several are a composite limit, and each is read back") {
    assert(limits("maxEventsPerTrigger" -> "10").readLimit == ReadLimit.maxRows(10))
    assert(limits("maxBytesPerTrigger" -> "1k").readLimit == BytesLimit(1024))
    assert(
      limits("minEventsPerTrigger" -> "5", "maxTriggerDelay" -> "30s").readLimit == ReadLimit.minRows(5, 30000)
    )
    val all =
      limits("minEventsPerTrigger" -> "5", "maxEventsPerTrigger" -> "10", "eventhubs.maxBytesPerTrigger" -> "1m")
    assert(all.readLimit.isInstanceOf[CompositeReadLimit])
    assert(TriggerLimits.of(all.readLimit) == all)
  }

  test("the strictest of several limits applies") {
    val nested = ReadLimit.compositeLimit(
      Array(ReadLimit.maxRows(10), ReadLimit.compositeLimit(Array(ReadLimit.maxRows(7), ReadLimit.minRows(2, 50))))
    )
    assert(TriggerLimits.of(nested) == TriggerLimits(maxEvents = Some(7), minEvents = Some(2), maxDelayMillis = 50))
  }

  test("a limit in bytes is divided by the mean event size, and by the largest size until the mean is known") {
    val bySize = TriggerLimits(maxBytes = Some(10L << 20))
    assert(bySize.eventLimit(None).contains(10))
    assert(bySize.eventLimit(Some(1024.0)).contains(10240))
    assert(TriggerLimits(maxBytes = Some(5)).eventLimit(Some(100.0)).contains(1))
    assert(TriggerLimits(maxBytes = Some(1000)).eventLimit(Some(0.0)).contains(1000))
    assert(bySize.copy(maxEvents = Some(500)).eventLimit(Some(1024.0)).contains(500))
  }

  test("a minimum above the maximum is refused, with both values") {
    val refused = intercept[EventHubsException](limits("minEventsPerTrigger" -> "11", "maxEventsPerTrigger" -> "10"))
    assert(refused.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(refused.getMessage.contains("11") && refused.getMessage.contains("10"))
    assert(limits("minEventsPerTrigger" -> "10", "maxEventsPerTrigger" -> "10").minEvents.contains(10))
  }
}
