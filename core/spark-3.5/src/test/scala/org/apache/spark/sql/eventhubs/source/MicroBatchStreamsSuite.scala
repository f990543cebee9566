package org.apache.spark.sql.eventhubs.source

import org.scalatest.funsuite.AnyFunSuite

class MicroBatchStreamsSuite extends AnyFunSuite {

  test("on a vendor's Spark 3.5 that has Real-Time Mode, streams are those of 3.5") {
    assert(!MicroBatchStreams.hasRealTimeMode)
  }
}
