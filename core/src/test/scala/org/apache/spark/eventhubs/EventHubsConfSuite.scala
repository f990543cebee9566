package org.apache.spark.eventhubs

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.time.Duration

import org.apache.spark.eventhubs.options.{PreferredLocationStrategy, ReadMode, ReadSettings}
import testkit.TestSuite

/** The legacy connector's own test cases that still apply, and cases for additions of this conf. */
class EventHubsConfSuite extends TestSuite {

  private val key = "c2VjcmV0LWtleQ=="
  private val connectionString =
    s"Endpoint=sb://contoso.servicebus.windows.net/;EntityPath=telemetry;SharedAccessKeyName=reader;SharedAccessKey=$key"

  private def conf: EventHubsConf = EventHubsConf(connectionString)

  private def refused(body: => Any): EventHubsException = intercept[EventHubsException](body)

  test("toMap has only the options that are set, with canonical keys") {
    val partition = NameAndPartition("telemetry", 3)
    val map = conf
      .setConsumerGroup("dashboards")
      .setStartingPosition(EventPosition.fromStartOfStream)
      .setStartingPositions(Map(partition -> EventPosition.fromSequenceNumber(7)))
      .setMaxEventsPerTrigger(100)
      .setReceiverTimeout(Duration.ofSeconds(50))
      .toMap
    assert(map == Map(
      "eventhubs.connectionString" -> connectionString,
      "eventhubs.consumerGroup" -> "dashboards",
      "eventhubs.startingPosition" -> """{"offset":"-1","seqNo":-1,"enqueuedTime":null,"isInclusive":true}""",
      "eventhubs.startingPositions" ->
        """{"{\"ehName\":\"telemetry\",\"partitionId\":3}":{"offset":null,"seqNo":7,"enqueuedTime":null,"isInclusive":true}}""",
      "eventhubs.maxEventsPerTrigger" -> "100",
      "eventhubs.receiverTimeout" -> "PT50S"
    ))
  }

  test("toConf accepts the result of toMap, keys in any case and aliases") {
    val original = conf.setConsumerGroup("dashboards").setPrefetchCount(5)
    assert(EventHubsConf.toConf(original.toMap) == original)
    val lowered = original.toMap.map { case (name, value) => name.toLowerCase -> value }
    assert(EventHubsConf.toConf(lowered) == original)
    assert(EventHubsConf.toConf(lowered).hashCode == original.hashCode)
    assert(EventHubsConf.toConf(Map("maxEventsPerTrigger" -> "7")).maxEventsPerTrigger.contains(7L))
  }

  test("set, get and apply accept any key of the option table") {
    val changed = conf.set("maxEventsPerTrigger", 7).set("eventhubs.failOnDataLoss", false)
    assert(changed("eventhubs.maxEventsPerTrigger") == "7")
    assert(changed.get("EVENTHUBS.FAILONDATALOSS").contains("false"))
    assert(changed.get("eventhubs.consumerGroup").isEmpty)
    assert(refused(changed("eventhubs.consumerGroup")).getCondition == "EVENTHUBS_MISSING_OPTION")
  }

  test("setters reject an unknown key, null and an invalid value") {
    assert(refused(conf.set(
      "eventhubs.prefechCount",
      5
    )).getMessage.contains("Did you mean 'eventhubs.prefetchCount'?"))
    assert(refused(conf.set[String]("eventhubs.consumerGroup", null)).getCondition == "EVENTHUBS_MISSING_OPTION")
    assert(refused(conf.setPrefetchCount(0)).getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(refused(conf.setMaxEventsPerTrigger(0)).getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(refused(EventHubsConf("nonsense")).getCondition == "EVENTHUBS_INVALID_CONNECTION_STRING")
  }

  test("a rejected value leaves the conf unchanged") {
    val kept = conf.setPrefetchCount(5)
    refused(kept.setPrefetchCount(0))
    assert(kept.prefetchCount.contains(5))
  }

  test("a setter changes the conf, for code that ignores the result") {
    val changed = conf
    changed.setConsumerGroup("dashboards")
    assert(changed.consumerGroup.contains("dashboards"))
  }

  test("a clone is equal and independent") {
    val original = conf
    val copy = original.clone
    assert(copy == original)
    copy.setConsumerGroup("dashboards")
    assert(original.consumerGroup.isEmpty)
  }

  test("each getter returns the value of its setter") {
    val positions = Map(NameAndPartition("telemetry", 0) -> EventPosition.fromOffset("123"))
    val set = conf
      .setConsumerGroup("dashboards")
      .setStartingPosition(EventPosition.fromEndOfStream)
      .setStartingPositions(positions)
      .setEndingPosition(EventPosition.fromSequenceNumber(9))
      .setEndingPositions(positions)
      .setMaxEventsPerTrigger(100)
      .setPrefetchCount(5)
      .setReceiverTimeout(Duration.ofSeconds(20))
      .setOperationTimeout(Duration.ofSeconds(40))
      .setUseExclusiveReceiver(true)
      .setPartitionPreferredLocationStrategy("Hash")
    assert(set.connectionString == connectionString)
    assert(set.consumerGroup.contains("dashboards"))
    assert(set.startingPosition.contains(EventPosition.EndOfStream))
    assert(set.startingPositions.contains(positions))
    assert(set.endingPosition.contains(EventPosition.fromSequenceNumber(9)))
    assert(set.endingPositions.contains(positions))
    assert(set.maxEventsPerTrigger.contains(100L))
    assert(set.prefetchCount.contains(5))
    assert(set.receiverTimeout.contains(Duration.ofSeconds(20)))
    assert(set.operationTimeout.contains(Duration.ofSeconds(40)))
    assert(set.useExclusiveReceiver)
    assert(set.partitionPreferredLocationStrategy.contains(PreferredLocationStrategy.Hash))
  }

  test("a reader accepts the map of the conf") {
    val settings = ReadSettings.parse(
      conf.setConsumerGroup("dashboards").setStartingPosition(EventPosition.fromSequenceNumber(7)).toMap,
      ReadMode.Stream
    )
    assert(settings.consumerGroup == "dashboards")
    assert(settings.startingPosition == EventPosition.AtSequenceNumber(7, inclusive = true))
  }

  test("name and namespace come from the connection string; setName changes the hub in it") {
    assert(conf.name == "telemetry")
    assert(conf.namespaceUri == "sb://contoso.servicebus.windows.net/")
    assert(conf.setName("alerts").name == "alerts")
    assert(conf.setName("alerts").connectionString == connectionString.replace("telemetry", "alerts"))
  }

  test("validate requires the hub's name") {
    assert(conf.validate)
    val nameless = EventHubsConf(connectionString.replace("EntityPath=telemetry;", ""))
    assert(refused(nameless.validate).getMessage.contains("EntityPath"))
    assert(nameless.setName("alerts").validate)
  }

  test("a location strategy that does not exist is refused") {
    assert(conf.setPartitionPreferredLocationStrategy("BalancedHash").partitionPreferredLocationStrategy
      .contains(PreferredLocationStrategy.BalancedHash))
    assert(
      refused(conf.setPartitionPreferredLocationStrategy("Random")).getMessage.contains("one of Hash, BalancedHash")
    )
  }

  test("a receiver timeout above the operation timeout is refused, whichever is set last") {
    val (short, long) = (Duration.ofSeconds(20), Duration.ofSeconds(40))
    assert(
      refused(conf.setOperationTimeout(short).setReceiverTimeout(long)).getCondition == "EVENTHUBS_CONFLICTING_OPTIONS"
    )
    assert(
      refused(conf.setReceiverTimeout(long).setOperationTimeout(short)).getCondition == "EVENTHUBS_CONFLICTING_OPTIONS"
    )
    assert(conf.setReceiverTimeout(short).setOperationTimeout(long).validate)
  }

  test("toString shows the options, and *** for a secret") {
    assert(conf.setConsumerGroup("dashboards").toString ==
      "EventHubsConf(eventhubs.connectionString=***, eventhubs.consumerGroup=dashboards)")
  }

  test("survives Java serialization") {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(conf.setPrefetchCount(5))
    val read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject
    assert(read == conf.setPrefetchCount(5))
  }
}
