package javaapi

import org.apache.spark.eventhubs.{EventHubsException, EventPosition, NameAndPartition}
import testkit.TestSuite

/** The build compiles `JavaJob` against the public API. These tests check that its calls mean the same as in Scala. */
class JavaJobSuite extends TestSuite {

  private val connectionString = JavaJob.connectionString("c2VjcmV0")

  test("a conf made in Java has the options") {
    val conf = JavaJob.conf(connectionString)
    assert(conf.name == "telemetry" && conf.consumerGroup.contains("dashboards"))
    assert(conf.startingPosition.contains(EventPosition.AtSequenceNumber(7, inclusive = true)))
    assert(conf.startingPositions.contains(Map(
      NameAndPartition("telemetry", 0) -> EventPosition.AtOffset("4711", inclusive = true),
      NameAndPartition("telemetry", 1) -> EventPosition.StartOfStream
    )))
    assert(conf.endingPositions.contains(Map(NameAndPartition("telemetry", 1) -> EventPosition.EndOfStream)))
    assert(conf.prefetchCount.contains(100))
  }

  test("the constructor refuses what is no connection string") {
    Seq(null, "telemetry").foreach(text => intercept[EventHubsException](JavaJob.conf(text)))
  }

  test("a range made in Java") {
    val range = JavaJob.range("telemetry", 3, 5, 9)
    assert(range.nameAndPartition == NameAndPartition("telemetry", 3) && range.fromSeqNo == 5 && range.count == 4)
  }
}
