package org.apache.spark.eventhubs.options

import java.time.{Duration, Instant}

import org.apache.spark.eventhubs.EventPosition._
import testkit.TestSuite

/** Option forms of public notebooks for the legacy connector (facts, not their text). All must keep their meaning. */
class LegacyNotebooksSuite extends TestSuite {

  private val connectionString =
    "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=r;SharedAccessKey=a2V5;EntityPath=telemetry"

  private def read(mode: ReadMode)(options: (String, String)*): ReadSettings =
    ReadSettings.parse(Map("eventhubs.connectionString" -> connectionString) ++ options, mode)

  private val stream: Seq[(String, String)] => ReadSettings = options => read(ReadMode.Stream)(options: _*)

  test("an enqueued time with microseconds from Python, and a consumer group") {
    val settings = stream(Seq(
      "eventhubs.consumerGroup" -> "spark",
      "eventhubs.startingPosition" ->
        """{"offset": null, "seqNo": -1, "enqueuedTime": "2024-01-31T12:00:00.250000Z", "isInclusive": true}"""
    ))
    assert(settings.consumerGroup == "spark")
    assert(settings.startingPosition == AtEnqueuedTime(Instant.parse("2024-01-31T12:00:00.25Z"), inclusive = true))
  }

  test("a batch read with the number -1 as offset, an ending time and a limit without prefix") {
    val settings = read(ReadMode.Batch)(
      "eventhubs.startingPosition" -> """{"offset": -1, "seqNo": -1, "enqueuedTime": null, "isInclusive": true}""",
      "eventhubs.endingPosition" ->
        """{"offset": null, "seqNo": -1, "enqueuedTime": "2024-02-01T00:00:00.000Z", "isInclusive": true}""",
      "maxEventsPerTrigger" -> "100000"
    )
    assert(settings.startingPosition == StartOfStream)
    assert(settings.endingPosition == AtEnqueuedTime(Instant.parse("2024-02-01T00:00:00Z"), inclusive = true))
  }

  test("a key that was never an option, with a Python boolean") {
    assert(stream(Seq("eventhubs.setUseExclusiveReceiver" -> "False")) == stream(Nil))
  }

  test("unknown keys without the prefix, and Spark's keys") {
    assert(stream(Seq("ehName" -> "telemetry", "inferSchema" -> "True", "checkpointLocation" -> "/c")) == stream(Nil))
  }

  test("the hub's name in an option and in the connection string") {
    assert(stream(Seq("eventhubs.eventHubName" -> "telemetry", "eventhubs.name" -> "telemetry")) == stream(Nil))
  }

  test("a position that is a word") {
    assert(stream(Seq("eventhubs.startingPosition" -> "latest")).startingPosition == EndOfStream)
  }

  test("timeouts in the form of strftime, and a limit with the prefix") {
    val settings = stream(Seq(
      "eventhubs.receiverTimeout" -> "PT00H00M30S",
      "eventhubs.operationTimeout" -> "PT00H05M00S",
      "eventhubs.maxEventsPerTrigger" -> "50000",
      "eventhubs.prefetchCount" -> "5000"
    ))
    assert(settings.receiverTimeout == Duration.ofSeconds(30))
    assert(settings.connection.operationTimeout == Duration.ofMinutes(5))
    assert(settings.maxEventsPerTrigger.contains(50000L) && settings.prefetchCount.contains(5000))
  }

  test("exclusive receivers, disabled by the text false") {
    assert(stream(Seq("eventhubs.useExclusiveReceiver" -> "false")).ownerLevel.isEmpty)
  }

  test("the end of the stream, inclusive, and an exclusive offset") {
    val latest = """{"offset":"@latest","seqNo":-1,"enqueuedTime":null,"isInclusive":true}"""
    assert(stream(Seq("eventhubs.startingPosition" -> latest)).startingPosition == EndOfStream)
    val offset = """{"offset":"4711","seqNo":-1,"enqueuedTime":null,"isInclusive":false}"""
    assert(stream(Seq("eventhubs.startingPosition" -> offset)).startingPosition == AtOffset("4711", inclusive = false))
  }

  test("a sink with a consumer group and an encrypted connection string") {
    val settings = WriteSettings.parse(
      Map("eventhubs.connectionString" -> LegacyEncryptionSuite.encrypted, "eventhubs.consumerGroup" -> "spark")
    )
    assert(settings.connection.hub.name == "telemetry")
  }

  test("tuning options that are no longer needed") {
    assert(stream(Seq(
      "eventhubs.threadPoolSize" -> "32",
      "eventhubs.maxSilentTime" -> "PT60S",
      "eventhubs.slowPartitionAdjustment" -> "true",
      "eventhubs.maxAcceptableBatchReceiveTime" -> "PT30S",
      "eventhubs.DynamicPartitionDiscovery" -> "true",
      "eventhubs.maxRatePerPartition" -> "100",
      "eventhubs.useAadAuth" -> "false"
    )) == stream(Nil))
  }
}
