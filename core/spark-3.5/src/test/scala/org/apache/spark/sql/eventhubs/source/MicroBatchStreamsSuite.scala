package org.apache.spark.sql.eventhubs.source

import testkit.TestSuite

class MicroBatchStreamsSuite extends TestSuite {

  test("on a vendor's Spark 3.5 that has Real-Time Mode, streams are those of 3.5") {
    assert(!MicroBatchStreams.hasRealTimeMode)
  }
}
