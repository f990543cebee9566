package org.apache.spark.sql.eventhubs

import org.scalatest.funsuite.AnyFunSuite

class StreamFaceSuite extends AnyFunSuite {

  test("on a vendor's Spark 3.5 that has Real-Time Mode, streams are those of 3.5") {
    assert(!StreamFace.hasRealTimeMode)
  }
}
