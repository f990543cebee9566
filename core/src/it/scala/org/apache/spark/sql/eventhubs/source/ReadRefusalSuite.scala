package org.apache.spark.sql.eventhubs.source

import java.time.Duration

import org.apache.spark.eventhubs.EventHubsException
import testkit.{Patience, TestSuite}

class V1ReadRefusalSuite extends ReadRefusalBehaviour(ApiVersion.V1)
class V2ReadRefusalSuite extends ReadRefusalBehaviour(ApiVersion.V2)

/** Wrong input is reported as early as possible, with a next step and without a secret. */
abstract class ReadRefusalBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private val wrongKey = "d3Jvbmcta2V5LXRoYXQtbm9ib2R5LWtub3dz"

  private def refusedAtLoad(name: String, more: (String, String)*): EventHubsException =
    intercept[EventHubsException](stream(name, more: _*))

  /** Checks that a stream and a batch read are refused alike. */
  private def refused(name: String, more: (String, String)*): EventHubsException = {
    val started = System.nanoTime()
    val streamed = failureOf(stream(name, more: _*))
    val read = ours(intercept[Exception](batch(name, more: _*).count()))
    assert(System.nanoTime() - started < Duration.ofSeconds(60).toNanos, "no hang")
    assert(read.getCondition == streamed.getCondition)
    assert(!streamed.getMessage.contains(wrongKey) && !read.getMessage.contains(wrongKey))
    streamed
  }

  private def withKey(name: String) = {
    val string = localHub.connectionString(name).replaceAll("SharedAccessKey=[^;]+", s"SharedAccessKey=$wrongKey")
    "eventhubs.connectionString" -> string
  }

  test("a misspelt option is refused by load(), with the right one") {
    val error = refusedAtLoad(newHub(1), "eventhubs.prefechCount" -> "7")
    assert(error.getCondition == "EVENTHUBS_UNKNOWN_OPTION")
    assert(error.getMessage.contains("eventhubs.prefetchCount"))
  }

  test("a wrong value is refused by load(), with the expected values") {
    for (
      (key, value) <- Seq(
        "eventhubs.prefetchCount" -> "many",
        "maxEventsPerTrigger" -> "0",
        "eventhubs.startingPosition" -> "yesterday",
        "eventhubs.startingPositions" -> "{\"x\":1}",
        "eventhubs.partitions" -> "a-b"
      )
    ) {
      val error = refusedAtLoad(newHub(1), key -> value)
      assert(error.getCondition == "EVENTHUBS_INVALID_OPTION", s"for $key")
      assert(error.getMessage.contains("expected"), s"for $key")
    }
  }

  test("option keys are not case-sensitive") {
    val name = newHub(1)
    send(name, 3)
    assertSame(readAvailable(stream(name, "EVENTHUBS.STARTINGPOSITION" -> "earliest")).read, firstEvents(3))
  }

  test("a missing connection string is refused by load()") {
    val error = intercept[EventHubsException](spark.readStream.format("eventhubs").load())
    assert(error.getCondition == "EVENTHUBS_MISSING_OPTION")
  }

  test("a wrong key") {
    val name = newHub(1)
    assert(refused(name, withKey(name)).getCondition == "EVENTHUBS_AUTHENTICATION")
  }

  test("a hub that does not exist") {
    val error = refused("nohub")
    assert(error.getCondition == "EVENTHUBS_NOT_FOUND")
    assert(error.getMessage.contains("nohub"))
  }

  test("a consumer group that does not exist, also when there is nothing to read") {
    for (count <- Seq(0, 5)) {
      val name = newHub(1, Seq("known"))
      send(name, count)
      val error = refused(name, "eventhubs.consumerGroup" -> "unknown")
      assert(error.getCondition == "EVENTHUBS_NOT_FOUND")
      assert(error.getMessage.contains("unknown"))
    }
  }

  test("a consumer group that exists is read") {
    val name = newHub(1, Seq("dashboards"))
    send(name, 5)
    assertSame(readAvailable(stream(name, earliest, "eventhubs.consumerGroup" -> "dashboards")).read, firstEvents(5))
  }

  test("a partition that does not exist") {
    val error = refused(newHub(2), "eventhubs.partitions" -> "1-4")
    assert(error.getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(error.getMessage.contains("0 to 1"))
  }

  test("an endpoint where nothing listens") {
    val name = newHub(1)
    val unreachable = localHub.connectionString(name).replace(s":${localHub.amqpPort}", ":1")
    assert(refused(name, "eventhubs.connectionString" -> unreachable).getCondition == "EVENTHUBS_UNREACHABLE")
  }

  test("a starting position beyond the end") {
    val name = newHub(1)
    send(name, 3)
    assert(refused(name, "eventhubs.startingPosition" -> "4").getCondition == "EVENTHUBS_POSITION_BEYOND_END")
  }

  test("the error is the cause of the exception that stops the query") {
    val started = start(stream("nohub"), newFolder(), org.apache.spark.sql.streaming.Trigger.AvailableNow())
    val error = intercept[org.apache.spark.sql.streaming.StreamingQueryException](started.query.awaitTermination(
      Patience.queryMillis
    ))
    assert(error.getCause.asInstanceOf[EventHubsException].getCondition == "EVENTHUBS_NOT_FOUND")
  }

  test("the name of the class is a name of the format, as in old notebooks") {
    val name = newHub(1)
    send(name, 2)
    val frame = spark.read
      .format("org.apache.spark.sql.eventhubs.EventHubsSourceProvider")
      .option("eventhubs.connectionString", localHub.connectionString(name))
      .load()
    assertSame(seen(frame), firstEvents(2))
  }

  test("an old notebook's options are accepted: prefixed limit, quoted booleans, Python's times") {
    val name = newHub(1)
    send(name, 4)
    val read = readAvailable(stream(
      name,
      "eventhubs.startingPosition" -> """{"offset": "-1", "seqNo": -1, "enqueuedTime": null, "isInclusive": true}""",
      "eventhubs.maxEventsPerTrigger" -> "50000",
      "eventhubs.receiverTimeout" -> "PT00H00M20S",
      "eventhubs.useExclusiveReceiver" -> "false"
    )).read
    assertSame(read, firstEvents(4))
  }
}
