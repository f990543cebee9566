package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.{Credential, EventHubName, EventHubsException, EventPosition, Secret}
import testkit.TestSuite

class ReadSettingsSuite extends TestSuite {

  private val key = "c2VjcmV0LWtleQ=="
  private val connectionString =
    s"Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=reader;SharedAccessKey=$key;EntityPath=telemetry"

  private def parse(options: (String, String)*): ReadSettings =
    ReadSettings.parse(Map("eventhubs.connectionString" -> connectionString) ++ options, ReadMode.Stream)

  private def refused(options: (String, String)*): EventHubsException =
    intercept[EventHubsException](parse(options: _*))

  test("only a connection string is needed; all other options have defaults") {
    assert(parse() == ReadSettings(
      connection = ConnectionSettings(
        EventHubName("contoso.servicebus.windows.net", "telemetry"),
        port = None,
        Credential.SharedKey("reader", Secret(key)),
        developmentEmulator = false,
        Transport.Amqp,
        customEndpoint = None,
        operationTimeout = Duration.ofSeconds(60),
        maxRetries = 3
      ),
      consumerGroup = "$Default",
      startingPosition = EventPosition.EndOfStream,
      startingPositions = Map.empty,
      endingPosition = EventPosition.EndOfStream,
      endingPositions = Map.empty,
      partitions = None,
      maxEventsPerTrigger = None,
      maxBytesPerTrigger = None,
      minEventsPerTrigger = None,
      maxTriggerDelay = Duration.ofMinutes(15),
      failOnDataLoss = true,
      compacted = false,
      prefetchCount = None,
      receiverBufferBytes = 16777216,
      receiverTimeout = Duration.ofSeconds(60),
      receiverIdleTimeout = Duration.ofMinutes(5),
      ownerLevel = None,
      maxConnections = None,
      minPartitions = None,
      maxEventsPerTask = None,
      maxPartitions = None,
      preferredLocations = PreferredLocationStrategy.Stable,
      replayCacheBytes = 0,
      hubs = HubSelection.Listed(Seq("telemetry"))
    ))
  }

  test("each read option sets its field") {
    val settings = parse(
      "eventhubs.consumerGroup" -> "dashboards",
      "eventhubs.startingPosition" -> "earliest",
      "eventhubs.startingPositions" -> """{"0":7}""",
      "eventhubs.endingPosition" -> "99",
      "eventhubs.endingPositions" -> """{"1":8}""",
      "eventhubs.partitions" -> "0,1",
      "eventhubs.maxEventsPerTrigger" -> "100",
      "eventhubs.failOnDataLoss" -> "false",
      "eventhubs.compacted" -> "true",
      "eventhubs.prefetchCount" -> "500",
      "eventhubs.receiverBufferBytes" -> "1m",
      "eventhubs.receiverTimeout" -> "PT20S",
      "eventhubs.receiverIdleTimeout" -> "2 minutes",
      "eventhubs.ownerLevel" -> "3",
      "eventhubs.maxConnections" -> "4",
      "eventhubs.partitionPreferredLocationStrategy" -> "Hash"
    )
    assert(settings == parse().copy(
      consumerGroup = "dashboards",
      startingPosition = EventPosition.StartOfStream,
      startingPositions = Map(0 -> EventPosition.AtSequenceNumber(7, inclusive = true)),
      endingPosition = EventPosition.AtSequenceNumber(99, inclusive = true),
      endingPositions = Map(1 -> EventPosition.AtSequenceNumber(8, inclusive = true)),
      partitions = Some(Set(0, 1)),
      maxEventsPerTrigger = Some(100),
      failOnDataLoss = false,
      compacted = true,
      prefetchCount = Some(500),
      receiverBufferBytes = 1048576,
      receiverTimeout = Duration.ofSeconds(20),
      receiverIdleTimeout = Duration.ofMinutes(2),
      ownerLevel = Some(3),
      maxConnections = Some(4),
      minPartitions = None,
      maxEventsPerTask = None,
      preferredLocations = PreferredLocationStrategy.Hash
    ))
  }

  test("a batch read starts at the earliest event by default") {
    val settings = ReadSettings.parse(Map("eventhubs.connectionString" -> connectionString), ReadMode.Batch)
    assert(settings.startingPosition == EventPosition.StartOfStream)
    assert(settings.endingPosition == EventPosition.EndOfStream)
  }

  test("the legacy connector's keys without a prefix are accepted") {
    val settings = parse(
      "maxEventsPerTrigger" -> "100000",
      "partitionPreferredLocationStrategy" -> "Hash",
      "failOnDataLoss" -> "false"
    )
    assert(settings.maxEventsPerTrigger.contains(100000L))
    assert(settings.preferredLocations == PreferredLocationStrategy.Hash)
    assert(!settings.failOnDataLoss)
  }

  test("an exclusive receiver has owner level 0 by default, and an owner level makes a receiver exclusive") {
    assert(parse("eventhubs.useExclusiveReceiver" -> "true").ownerLevel.contains(0L))
    assert(parse("eventhubs.useExclusiveReceiver" -> "false").ownerLevel.isEmpty)
    assert(parse("eventhubs.useExclusiveReceiver" -> "true", "eventhubs.ownerLevel" -> "5").ownerLevel.contains(5L))
    assert(parse("eventhubs.ownerLevel" -> "5").ownerLevel.contains(5L))
  }

  test("maxPartitions cannot be combined with options that split partitions") {
    assert(parse("eventhubs.maxPartitions" -> "4").maxPartitions.contains(4))
    Seq("eventhubs.minPartitions", "eventhubs.maxEventsPerTask").foreach { splitting =>
      val error = intercept[EventHubsException](parse(splitting -> "8", "eventhubs.maxPartitions" -> "4"))
      assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
      assert(error.getMessage.contains(splitting) && error.getMessage.contains("eventhubs.maxPartitions"))
    }
  }

  test("exclusive receivers cannot be combined with options that split partitions") {
    val split = parse("eventhubs.minPartitions" -> "12", "eventhubs.maxEventsPerTask" -> "5000")
    assert(split.minPartitions.contains(12) && split.maxEventsPerTask.contains(5000L))
    for {
      exclusive <- Seq("eventhubs.useExclusiveReceiver" -> "true", "eventhubs.ownerLevel" -> "5")
      splitting <- Seq("eventhubs.minPartitions", "eventhubs.maxEventsPerTask")
    } {
      val error = refused(splitting -> "8", exclusive)
      assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
      assert(error.getMessage.contains(splitting) && error.getMessage.contains(exclusive._1))
    }
  }

  test("an owner level without an exclusive receiver is rejected") {
    val error = refused("eventhubs.useExclusiveReceiver" -> "false", "eventhubs.ownerLevel" -> "5")
    assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
  }

  test("a timeout that is set changes the default of the other timeout") {
    def timeouts(options: (String, String)*): (Duration, Duration) = {
      val settings = parse(options: _*)
      (settings.receiverTimeout, settings.connection.operationTimeout)
    }
    val (short, long) = (Duration.ofSeconds(30), Duration.ofSeconds(120))
    assert(timeouts("eventhubs.receiverTimeout" -> "PT120S") == (long -> long))
    assert(timeouts("eventhubs.operationTimeout" -> "PT30S") == (short -> short))
    assert(timeouts(
      "eventhubs.receiverTimeout" -> "PT30S",
      "eventhubs.operationTimeout" -> "PT120S"
    ) == (short -> long))
  }

  test("a receiver timeout above the operation timeout is rejected") {
    val error = refused("eventhubs.receiverTimeout" -> "PT120S", "eventhubs.operationTimeout" -> "PT30S")
    assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(error.getMessage.contains("'eventhubs.receiverTimeout' is PT2M"))
  }

  test("positions for another hub are rejected, and the error names both hubs") {
    val error = refused("eventhubs.startingPositions" -> """{"{\"ehName\":\"other\",\"partitionId\":0}":{"seqNo":1}}""")
    assert(error.getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(error.getMessage.contains("'telemetry'") && error.getMessage.contains("'other'"))
  }

  test("the error for an invalid value names the key, the value and the expected form") {
    assert(refused("eventhubs.prefetchCount" -> "many").getMessage ==
      "[EVENTHUBS_INVALID_OPTION] 'eventhubs.prefetchCount' is 'many'; expected a whole number from 1 to 8000.")
  }

  test("neither errors nor toString show the key") {
    assert(!parse().toString.contains(key))
    assert(!refused("eventhubs.namespace" -> "other.servicebus.windows.net").getMessage.contains(key))
  }
}
