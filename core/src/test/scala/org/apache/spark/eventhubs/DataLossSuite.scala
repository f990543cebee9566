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

  test("a loss of unknown size counts as 1 event") {
    assert(DataLoss(DataLoss.Kind.Recreated, 0, 7, 7, "").count == 1)
  }

  test("every kind of loss has its own error condition") {
    import DataLoss.Kind._
    val conditions = Seq(Expired, Recreated, PartitionRemoved, Gap).map { kind =>
      EventHubsErrors.dataLoss(hub, "$Default", expired.copy(kind = kind)).getCondition
    }
    assert(conditions == Seq(
      "EVENTHUBS_DATA_LOSS.EXPIRED",
      "EVENTHUBS_DATA_LOSS.RECREATED",
      "EVENTHUBS_DATA_LOSS.PARTITION_REMOVED",
      "EVENTHUBS_DATA_LOSS.GAP"
    ))
  }
}
