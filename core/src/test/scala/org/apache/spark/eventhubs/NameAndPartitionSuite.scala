package org.apache.spark.eventhubs

import org.scalatest.funsuite.AnyFunSuite

class NameAndPartitionSuite extends AnyFunSuite {

  test("toString is the JSON of the legacy connector's keys") {
    assert(NameAndPartition("telemetry", 3).toString == """{"ehName":"telemetry","partitionId":3}""")
    assert(NameAndPartition("a\"b", 1).toString == """{"ehName":"a\"b","partitionId":1}""")
  }
}
