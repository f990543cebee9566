package org.apache.spark.eventhubs.ownership

import org.apache.spark.eventhubs.options.OwnershipMode
import org.apache.spark.eventhubs.{EventHubsException, EventPosition, TestSettings}
import testkit.TestSuite

class OwnershipOptionsSuite extends TestSuite {

  private val container = "eventhubs.checkpointStore.container" -> "https://a.blob.core.windows.net/c?sig=x"
  private val fail = "eventhubs.checkpointStore.ownership" -> "fail"

  test("an owner reads with the level of the SDKs' processors, and starts at the store's checkpoints") {
    val settings = TestSettings.stream(container, fail)
    assert(settings.ownership == OwnershipMode.Fail && settings.ownerLevel.contains(0L))
    assert(settings.startingPosition == EventPosition.CheckpointStore)
    assert(TestSettings.stream(container, fail, "eventhubs.startingPosition" -> "earliest").startingPosition ==
      EventPosition.StartOfStream)
  }

  test("without the option, and in a batch read, nothing is owned") {
    val batch = TestSettings.batch(container, fail)
    Seq(TestSettings.stream(container), batch).foreach { settings =>
      assert(settings.ownership == OwnershipMode.Off && settings.ownerLevel.isEmpty)
    }
    assert(batch.startingPosition == EventPosition.StartOfStream)
  }

  test("options that contradict ownership are refused by name") {
    Seq(
      "eventhubs.ownerLevel" -> "1",
      "eventhubs.useExclusiveReceiver" -> "false",
      "eventhubs.minPartitions" -> "4",
      "eventhubs.maxEventsPerTask" -> "4",
      "eventhubs.checkpointStore.publish" -> "false"
    ).foreach { case (key, value) =>
      val error = intercept[EventHubsException](TestSettings.stream(container, fail, key -> value))
      assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS" && error.getMessage.contains(key), error.getMessage)
      assert(error.getMessage.contains("eventhubs.checkpointStore.ownership"))
    }
  }
}
