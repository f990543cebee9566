package org.apache.spark.sql.eventhubs.sink

import java.time.Duration

import org.apache.spark.eventhubs.background.ManualBackground
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.{SendFixture, SendPermit}
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.util.ManualTime
import testkit.TestSuite

class EventHubsWriteTaskSuite extends TestSuite {

  test("a task that gets no producer leaves no work in the background") {
    val settings = WriteSettings.parse(Map("eventhubs.connectionString" -> SendFixture.connectionString)).forRealTime
    val columns = EventHubsWriteColumns.bind(new StructType().add("body", StringType))
    val background = new ManualBackground(new ManualTime)
    intercept[NoSuchElementException] {
      new EventHubsWriteTask(settings, columns, SendFixture.poolOf(), SendPermit(() => ()), background)
    }
    background.pass(Duration.ofMinutes(1))
    assert(background.waiting == 0)
  }
}
