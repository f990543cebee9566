package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs._
import org.apache.spark.eventhubs.rdd.OffsetRange
import testkit.TestSuite

/** Names of the legacy connector that code for it uses, imported as it imports them. */
class LegacyNamesSuite extends TestSuite {

  private val connectionString =
    "Endpoint=sb://contoso.servicebus.windows.net/;EntityPath=telemetry;SharedAccessKeyName=r;SharedAccessKey=a2V5"

  test("the types of numbers, the words for positions and the default consumer group") {
    val partition: PartitionId = 3
    val first: SequenceNumber = 5L
    val offset: Offset = 4711L
    val rate: Rate = 100
    val enqueued: EnqueueTime = 0L
    assert(partition + rate + first + offset + enqueued == 4819L)
    assert(EventPosition.fromOffset(StartOfStream) == EventPosition.fromStartOfStream)
    assert(EventPosition.fromOffset(EndOfStream) == EventPosition.fromEndOfStream)
    assert(DefaultConsumerGroup == "$Default")
  }

  test("the keys of options") {
    val conf = EventHubsConf(connectionString)
      .set(EventHubsConf.ConsumerGroupKey, "dashboards")
      .set(EventHubsConf.MaxEventsPerTriggerKey, 1000)
      .set(EventHubsConf.ThreadPoolSizeKey, 16)
    assert(conf.toMap(EventHubsConf.ConnectionStringKey) == connectionString)
    assert(conf.maxEventsPerTrigger.contains(1000L))
    val keys = EventHubsConf.getClass.getMethods.toSeq.filter(_.getName.endsWith("Key")).map(_.invoke(EventHubsConf))
    assert(keys.size == 25)
    keys.map(_.toString).foreach { key =>
      assert(EventHubsOptions.find(key).isDefined || LegacyOptions.find(key).isDefined, key)
    }
  }

  test("the strategies for preferred locations") {
    val conf = EventHubsConf(connectionString)
      .setPartitionPreferredLocationStrategy(PartitionPreferredLocationStrategy.BalancedHash)
    assert(conf.partitionPreferredLocationStrategy.contains(PartitionPreferredLocationStrategy.BalancedHash))
    assert(conf.toMap(EventHubsConf.PartitionPreferredLocationStrategyKey) == "BalancedHash")
  }

  test("partitions as tuples and from text") {
    val partition = NameAndPartition("telemetry", 3)
    assert(partition.toTuple == ("telemetry" -> 3))
    assert(NameAndPartition.fromString(partition.toString) == partition)
    Seq("telemetry", """{"ehName":"telemetry"}""", """{"ehName":"telemetry","partitionId":-1}""").foreach { text =>
      val refused = intercept[IllegalArgumentException](NameAndPartition.fromString(text))
      assert(refused.getMessage.contains("""expected JSON such as {"ehName":"telemetry","partitionId":0}"""))
    }
  }

  test("ranges from a hub's name, and their parts") {
    val range = OffsetRange("telemetry", 3, 5, 9, Some("host"))
    assert(range.toTuple == ((NameAndPartition("telemetry", 3), 5L, 9L, Some("host"))))
    assert(range.preferredLoc.contains("host") && range.count == 4)
  }

  test("text in Base64") {
    assert(EventHubsUtils.encode("grün") == "Z3LDvG4=")
    assert(EventHubsUtils.decode("Z3LDvG4=") == "grün")
  }
}
