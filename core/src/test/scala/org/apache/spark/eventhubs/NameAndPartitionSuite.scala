package org.apache.spark.eventhubs

import testkit.TestSuite

class NameAndPartitionSuite extends TestSuite {

  test("toString is the JSON of the legacy connector's keys") {
    assert(NameAndPartition("telemetry", 3).toString == """{"ehName":"telemetry","partitionId":3}""")
    assert(NameAndPartition("a\"b", 1).toString == """{"ehName":"a\"b","partitionId":1}""")
  }
}
