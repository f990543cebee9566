package org.apache.spark.eventhubs

import testkit.TestSuite

class DataLossSuite extends TestSuite {

  private val hub = TestSettings.hub
  private val expired = DataLoss(DataLoss.Kind.Expired, 3, 10, 25, "the first retained event is 25")

  test("with failOnDataLoss, a loss is an error that says what, where and what to do") {
    var counted = 0L
    val policy = new DataLossPolicy(hub, "dashboards", failOnDataLoss = true, counted += _)

    val error = intercept[EventHubsException](policy.report(expired))

    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("partition") == "3")
    assert(error.getMessageParameters.get("fromSeqNo") == "10")
    assert(error.getMessageParameters.get("untilSeqNo") == "25")
    for (text <- Seq("telemetry", "contoso.servicebus.windows.net", "dashboards", "25", "failOnDataLoss"))
      assert(error.getMessage.contains(text))
    assert(counted == 0)
  }

  test("without failOnDataLoss, the lost events are counted and the caller continues") {
    var counted = 0L
    new DataLossPolicy(hub, "dashboards", failOnDataLoss = false, counted += _).report(expired)
    assert(counted == 15)
  }

  test("a loss of unknown size counts as 1 event, and no empty interval is reported") {
    val unknown = DataLoss(DataLoss.Kind.Recreated, 0, 50, 50, "the next event to arrive is 3")
    assert(unknown.count == 1)
    val error = EventHubsErrors.dataLoss(hub, "$Default", unknown)
    assert(error.getMessage.contains("partition 0, from sequence number 50 on (consumer group"))
    assert(error.getMessageParameters.get("fromSeqNo") == "50")
    assert(!error.getMessageParameters.containsKey("untilSeqNo"))
  }

  test("a recreated hub that has already lost its first events: these are counted") {
    assert(DataLoss.recreated(0, position = 50, earliest = 0, "facts").count == 1)
    val loss = DataLoss.recreated(0, position = 50, earliest = 20, "the next event to arrive is 30")
    assert((loss.fromSeqNo, loss.untilSeqNo, loss.count) == ((0, 20, 20)))
    assert(loss.details.contains("at sequence number 50") && loss.details.contains("first retained event is 20"))
  }

  test("events that expire before the first read of a start 'earliest' are counted, but not lost") {
    var lost, skipped = 0L
    new DataLossPolicy(hub, "$Default", failOnDataLoss = true, lost += _, skipped += _).skipAtStart(0, 5, 12)
    assert(lost == 0 && skipped == 7)
  }

  test("every kind of loss has its own error condition") {
    import DataLoss.Kind._
    val conditions = Seq(Expired, Recreated, FailedOver, PartitionRemoved, Gap).map { kind =>
      EventHubsErrors.dataLoss(hub, "$Default", expired.copy(kind = kind)).getCondition
    }
    assert(conditions == Seq(
      "EVENTHUBS_DATA_LOSS.EXPIRED",
      "EVENTHUBS_DATA_LOSS.RECREATED",
      "EVENTHUBS_DATA_LOSS.FAILED_OVER",
      "EVENTHUBS_DATA_LOSS.PARTITION_REMOVED",
      "EVENTHUBS_DATA_LOSS.GAP"
    ))
  }
}
