package org.apache.spark.sql.eventhubs.sink

import java.util.Date
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.TcpProxy
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.{SparkException, TaskContext}
import testkit.TestSuite

/** Writes frames as a batch over AMQP and reads them back with the SDK. */
class EventHubsWriterSuite extends TestSuite with WriteSparkFixture {

  private def save(frame: DataFrame, hub: String, more: (String, String)*): Unit =
    frame.write.format("eventhubs").options(options(hub, more: _*)).save()

  test("Append and the default mode add events; other modes are refused") {
    val hub = newHub()
    val frame = spark.sql("SELECT 'a' AS body")
    save(frame, hub)
    frame.write.format("eventhubs").options(options(hub)).mode(SaveMode.Append).save()
    Seq(SaveMode.Overwrite, SaveMode.Ignore).foreach { mode =>
      val refused = intercept[EventHubsException](
        frame.write.format("eventhubs").options(options(hub)).mode(mode).save()
      )
      assert(refused.getCondition == "EVENTHUBS_UNSUPPORTED_SAVE_MODE")
    }
    assert(bodies(hub).values.flatten.toSeq == Seq("a", "a"))
  }

  test("every row of a transformed frame arrives once") {
    val hub = newHub()
    val frame = spark.range(0, 20000, 1, 5).select(concat(lit("row-"), col("id")).as("body")).filter("body != 'row-7'")
    val totals = EventHubsWriter.write(frame.queryExecution, settings(hub))
    assert(totals.events == 19999)
    assert(bodies(hub).values.flatten.toSeq.sorted == (0 until 20000).filter(_ != 7).map(i => s"row-$i").sorted)
  }

  test("all columns arrive with their types") {
    val hub = newHub()
    val frame = spark.sql("""
      SELECT CAST('abc' AS BINARY) AS Body, 2 AS partitionId, map('p', TIMESTAMP '2024-02-29 12:00:00.123Z') AS properties,
             'm' AS messageId, 'c' AS correlationId, 'text/plain' AS contentType, 'ignored' AS publisher""")
    save(frame, hub)
    val Seq(event) = written(hub)(2): @unchecked
    assert(event.getBodyAsString == "abc")
    assert(event.getProperties.asScala == Map("p" -> Date.from(java.time.Instant.parse("2024-02-29T12:00:00.123Z"))))
    assert((event.getMessageId, event.getCorrelationId, event.getContentType) == (("m", "c", "text/plain")))
  }

  test("a copy of an event has its properties without a value too") {
    val (from, to) = (newHub(), newHub())
    save(spark.sql("SELECT 'abc' AS body, map('none', null, 'some', 'v') AS properties"), from)
    def read(hub: String) = spark.read.format("eventhubs").options(options(hub)).load()
    save(read(from).select("body", "properties"), to)
    assert(written(to).values.flatten.map(_.getProperties.asScala).toSeq == Seq(Map("none" -> null, "some" -> "v")))
    val copied = read(to).select("properties").collect().head
    assert(copied.getMap[String, String](0) == Map("none" -> null, "some" -> "v"))
  }

  test("rows of one key keep the order of their partition of the frame") {
    val hub = newHub()
    val frame = spark.range(0, 30000, 1, 1)
      .select(col("id").cast("string").as("body"), concat(lit("device-"), col("id") % 100).as("partitionKey"))
    save(frame, hub)
    val byKey = written(hub).values.flatten.toSeq.groupBy(_.getPartitionKey)
    assert(byKey.size == 100)
    byKey.foreach { case (key, events) =>
      val device = key.stripPrefix("device-").toInt
      assert(events.map(_.getBodyAsString.toInt) == (device until 30000 by 100))
    }
  }

  test("an option sends all rows to one partition, whatever their columns say") {
    val hub = newHub()
    val frame = spark.range(100).select(col("id").cast("string").as("body"), lit("1").as("partition"))
    save(frame, hub, "eventhubs.partitionId" -> "3")
    assert(bodies(hub)(3).length == 100)
  }

  test("an option gives all rows one key") {
    val hub = newHub()
    val frame = spark.range(100).select(col("id").cast("string").as("body"))
    save(frame, hub, "eventhubs.partitionKey" -> "pk1")
    val events = written(hub)(1)
    assert(events.length == 100)
    assert(events.forall(_.getPartitionKey == "pk1"))
  }

  test("events of 1 MB are sent") {
    val hub = newHub()
    val frame = spark.range(0, 20, 1, 2).select(concat(col("id"), lit(":"), repeat(lit("x"), 1000000)).as("body"))
    save(frame, hub)
    val arrived = bodies(hub).values.flatten.toSeq
    assert(arrived.map(_.takeWhile(_ != ':').toInt).sorted == (0 until 20))
    assert(arrived.forall(_.length > 1000000))
  }

  test("an empty frame is written without an error") {
    val hub = newHub()
    assert(EventHubsWriter.write(spark.range(0).select(lit("x").as("body")).queryExecution, settings(hub)).events == 0)
    assert(bodies(hub).values.flatten.isEmpty)
  }

  private def condition(more: (String, String)*)(hub: String, columns: String = "'a' AS body"): EventHubsException =
    intercept[EventHubsException](save(spark.sql(s"SELECT $columns"), hub, more: _*))

  test("an unknown partition in the option is found on the driver") {
    val failure = condition("eventhubs.partitionId" -> "9")(newHub())
    assert(failure.getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(failure.getMessage.contains("partitions: 0, 1, 2, 3"))
  }

  test("an unknown hub is found on the driver") {
    val failure = condition()("no-such-hub")
    assert(failure.getCondition == "EVENTHUBS_NOT_FOUND")
    assert(failure.getMessage.contains("no-such-hub"))
  }

  test("a wrong key is found on the driver, and the error does not contain it") {
    val hub = newHub()
    val wrong = localHub.connectionString(hub).replace("SAS_KEY_VALUE", "bm90IHRoZSBrZXk=")
    val failure = condition("eventhubs.connectionString" -> wrong)(hub)
    assert(failure.getCondition == "EVENTHUBS_AUTHENTICATION")
    assert(!failure.getMessage.contains("bm90IHRoZSBrZXk="))
  }

  test("an unreachable endpoint is found on the driver") {
    val hub = newHub()
    val nobody = localHub.connectionString(hub).replace(s":${localHub.amqpPort}", ":1")
    assert(condition("eventhubs.connectionString" -> nobody)(hub).getCondition == "EVENTHUBS_UNREACHABLE")
  }

  test("a wrong column is found on the driver, before anything is sent") {
    val failure = condition()(newHub(), "'a' AS body, 1.5D AS partitionId")
    assert(failure.getCondition == "EVENTHUBS_INVALID_WRITE_SCHEMA")
  }

  private def taskFailure(hub: String, columns: String): String = {
    val failure = intercept[EventHubsException](save(spark.sql(s"SELECT $columns"), hub))
    failure.getMessage
  }

  test("a row that cannot be sent fails the write with the reason") {
    assert(taskFailure(
      newHub(),
      "'a' AS body, '7' AS partition"
    ).contains("The event hub has no partition '7'. Use one of its partitions: 0, 1, 2, 3."))
    assert(taskFailure(newHub(), "CAST(NULL AS STRING) AS body").contains("Its body is null"))
    assert(taskFailure(newHub(), "'a' AS body, '1' AS partitionId, 'k' AS partitionKey")
      .contains("Both a partitionKey (k) and partition (1) have been detected. Both can not be set."))
    assert(taskFailure(newHub(), "repeat('x', 2000000) AS body").contains("EVENTHUBS_EVENT_TOO_LARGE"))
  }

  test("a task that fails halfway is retried and loses nothing") {
    val hub = newHub()
    val failsOnce = udf { (id: Long) =>
      if (id == 7000 && TaskContext.get().attemptNumber() == 0) throw new IllegalStateException("broken on purpose")
      id.toString
    }
    val frame = spark.range(0, 10000, 1, 1).select(failsOnce(col("id")).as("body"), lit("0").as("partition"))
    val totals = EventHubsWriter.write(frame.queryExecution, settings(hub, "eventhubs.maxBatchBytes" -> "10000"))
    assert(totals.events == 10000, "only what the successful attempt sent counts")
    val arrived = bodies(hub)(0).map(_.toInt)
    assert(arrived.toSet == (0 until 10000).toSet)
    assert(arrived.takeRight(10000) == (0 until 10000), "the second attempt sends all of its rows in order")
  }

  test("a cancelled job stops waiting for the service") {
    val hub = newHub(1)
    val proxy = new TcpProxy(localHub.amqpPort)
    val rows = new AtomicInteger
    EventHubsWriterSuite.onRow = { () =>
      // After the last row only the wait for the service can notice the cancellation.
      if (rows.incrementAndGet() == 30000) {
        proxy.hold()
        spark.sparkContext.cancelJobGroup("write")
      }
    }
    val counted = udf { (id: Long) =>
      EventHubsWriterSuite.onRow()
      "x" * 100 + id
    }
    val connection = localHub.connectionString(hub).replace(s":${localHub.amqpPort}", s":${proxy.port}")
    // Without the cancellation an attempt fails after 150 s and the task after 600 s, long after `eventually`.
    val patient = Seq("eventhubs.operationTimeout" -> "600s", "eventhubs.sendTimeout" -> "600s")
    val frame = spark.range(0, 30000, 1, 1).select(counted(col("id")).as("body"), lit("0").as("partition"))
    try {
      spark.sparkContext.setJobGroup("write", "to be cancelled", interruptOnCancel = false)
      val failure = intercept[SparkException](
        save(frame, hub, patient :+ ("eventhubs.connectionString" -> connection): _*)
      )
      assert(failure.getMessage.contains("cancelled"))
      eventually("the task has not ended")(
        spark.sparkContext.statusTracker.getExecutorInfos.forall(_.numRunningTasks() == 0)
      )
    } finally {
      spark.sparkContext.clearJobGroup()
      proxy.close()
    }
  }
}

object EventHubsWriterSuite {
  @volatile private var onRow: () => Unit = () => ()
}
