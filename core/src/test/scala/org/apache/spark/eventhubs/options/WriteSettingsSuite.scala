package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.EventHubsException
import testkit.TestSuite

class WriteSettingsSuite extends TestSuite {

  private val connectionString =
    "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=w;SharedAccessKey=a2V5;EntityPath=alerts"

  private def parse(options: (String, String)*): WriteSettings =
    WriteSettings.parse(Map("eventhubs.connectionString" -> connectionString) ++ options)

  test("only a connection string is needed; all other options have defaults") {
    assert(parse() == WriteSettings(
      connection = parse().connection,
      destination = WriteDestination.AnyPartition,
      maxBatchBytes = None,
      maxInFlightBytes = 8388608,
      linger = None,
      sendTimeout = Duration.ofSeconds(60),
      oversizedEvents = OversizedEvents.Fail,
      writesTombstones = false,
      guarantee = DeliveryGuarantee.AtLeastOnce,
      batchWrite = None,
      settleDelay = Duration.ofSeconds(5),
      settleDelayAfterTimeout = Duration.ofSeconds(60),
      idempotentProducer = false,
      stampEvents = false
    ))
    assert(parse().connection.hub.name == "alerts")
  }

  test("each write option sets its field") {
    assert(parse(
      "eventhubs.partitionId" -> "3",
      "eventhubs.maxBatchBytes" -> "512k",
      "eventhubs.maxInFlightBytes" -> "4m",
      "eventhubs.lingerMs" -> "7",
      "eventhubs.sendTimeout" -> "90s",
      "eventhubs.oversizedEvents" -> "drop",
      "eventhubs.writeTombstones" -> "true",
      "eventhubs.deliveryGuarantee" -> "Exactly-Once",
      "eventhubs.writeId" -> "alerts",
      "eventhubs.writeVersion" -> "17",
      "eventhubs.writeLogLocation" -> "/tmp/writes",
      "eventhubs.settleDelay" -> "1s",
      "eventhubs.settleDelayAfterTimeout" -> "20s",
      "eventhubs.idempotentProducer" -> "true",
      "eventhubs.stampEvents" -> "true"
    ) == parse().copy(
      destination = WriteDestination.ToPartition("3"),
      maxBatchBytes = Some(524288),
      maxInFlightBytes = 4194304,
      linger = Some(Duration.ofMillis(7)),
      sendTimeout = Duration.ofSeconds(90),
      oversizedEvents = OversizedEvents.Drop,
      writesTombstones = true,
      guarantee = DeliveryGuarantee.ExactlyOnce,
      batchWrite = Some(BatchWriteId("alerts", 17, Some("/tmp/writes"))),
      settleDelay = Duration.ofSeconds(1),
      settleDelayAfterTimeout = Duration.ofSeconds(20),
      idempotentProducer = true,
      stampEvents = true
    ))
  }

  test("in Real-Time Mode events are sent at once, unless the user sets a linger time") {
    assert(parse().forRealTime.linger.contains(Duration.ZERO))
    assert(parse("eventhubs.lingerMs" -> "7").forRealTime.linger.contains(Duration.ofMillis(7)))
  }

  test("a partition key keeps its spaces") {
    assert(parse("eventhubs.partitionKey" -> " k ").destination == WriteDestination.ByKey(" k "))
  }

  test("read options are ignored, so that reading and writing can share a set of options") {
    assert(parse("eventhubs.consumerGroup" -> "g", "eventhubs.startingPosition" -> "earliest") == parse())
  }

  Seq(
    Seq("eventhubs.partitionId" -> "3", "eventhubs.partitionKey" -> "k") -> "EVENTHUBS_CONFLICTING_OPTIONS",
    Seq("eventhubs.maxBatchBytes" -> "2m", "eventhubs.maxInFlightBytes" -> "1m") -> "EVENTHUBS_CONFLICTING_OPTIONS",
    Seq("eventhubs.partitionId" -> "-1") -> "EVENTHUBS_INVALID_OPTION",
    Seq("eventhubs.partitionId" -> "first") -> "EVENTHUBS_INVALID_OPTION",
    Seq("eventhubs.maxBatchBytes" -> "100") -> "EVENTHUBS_INVALID_OPTION",
    Seq("eventhubs.maxInFlightBytes" -> "1k") -> "EVENTHUBS_INVALID_OPTION",
    Seq("eventhubs.lingerMs" -> "-1") -> "EVENTHUBS_INVALID_OPTION",
    Seq("eventhubs.lingerMs" -> "5s") -> "EVENTHUBS_INVALID_OPTION",
    Seq("eventhubs.oversizedEvents" -> "ignore") -> "EVENTHUBS_INVALID_OPTION",
    Seq("eventhubs.sendTimeout" -> "0s") -> "EVENTHUBS_INVALID_OPTION",
    Seq("eventhubs.deliveryGuarantee" -> "at-most-once") -> "EVENTHUBS_INVALID_OPTION",
    Seq("eventhubs.writeId" -> "alerts") -> "EVENTHUBS_MISSING_OPTION",
    Seq("eventhubs.writeVersion" -> "1") -> "EVENTHUBS_MISSING_OPTION"
  ).foreach { case (options, condition) =>
    test(s"${options.map { case (name, text) => s"$name=$text" }.mkString(" and ")} is rejected") {
      assert(intercept[EventHubsException](parse(options: _*)).getCondition == condition)
    }
  }
}
