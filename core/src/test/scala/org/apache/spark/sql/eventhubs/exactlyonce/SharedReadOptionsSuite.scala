package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.options.WriteSettings
import testkit.TestSuite

/** A write whose options are also those of a query that reads. */
class SharedReadOptionsSuite extends TestSuite {

  private val connection = "eventhubs.connectionString" ->
    "Endpoint=sb://ns.example/;SharedAccessKeyName=policy;SharedAccessKey=key;EntityPath=telemetry"

  private def readBack(options: (String, String)*) = {
    val all = Map(connection) ++ options
    ReadBack.settings(all, WriteSettings.parse(all).connection.hub)
  }

  test("options that only a read can use do not refuse the write") {
    Seq(
      Seq("eventhubs.startingPositions" -> """{"other/0": 5}"""),
      Seq("eventhubs.startingPosition" -> "whenever"),
      Seq("eventhubs.partitions" -> "first"),
      Seq("eventhubs.minPartitions" -> "20", "eventhubs.maxPartitions" -> "2"),
      Seq("minPartitions" -> "20", "eventhubs.ownerLevel" -> "3"),
      Seq("eventhubs.minEventsPerTrigger" -> "20", "maxEventsPerTrigger" -> "2"),
      Seq("eventhubs.operationTimeout" -> "10s", "eventhubs.receiverTimeout" -> "20s"),
      Seq("eventhubs.namePattern" -> "telemetry-*")
    ).foreach { options =>
      val ofConnection = options.filter(_._1.contains("operation"))
      assert(readBack(options: _*) == readBack(ofConnection: _*), options)
    }
  }

  test("the consumer group and the limits of memory and connections are those of the options") {
    val settings =
      readBack("eventhubs.consumerGroup" -> "writer", "eventhubs.prefetchCount" -> "50", "failOnDataLoss" -> "false")
    assert(settings.consumerGroup == "writer" && settings.prefetchCount.contains(50))
    assert(settings.failOnDataLoss && settings.startingPosition == EventPosition.StartOfStream)
  }
}
