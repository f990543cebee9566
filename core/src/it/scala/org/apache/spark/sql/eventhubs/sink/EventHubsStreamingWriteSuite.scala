package org.apache.spark.sql.eventhubs.sink

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.eventhubs.EventHubsSink
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.{Dataset, SQLContext}
import testkit.TestSuite

/** Streaming queries into a hub, the same tests for both versions of the sink. */
abstract class StreamingWriteBehaviour(throughV1: Boolean) extends TestSuite with WriteSparkFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private def start(
      frame: Dataset[_],
      hub: String,
      checkpoint: String = newFolder().toString,
      mode: String = "append",
      more: Map[String, String] = Map.empty
  ): StreamingQuery =
    frame.writeStream
      .format("eventhubs")
      .option("eventhubs.useV1Sink", throughV1)
      .options(options(hub, more.toSeq: _*))
      .option("checkpointLocation", checkpoint)
      .outputMode(mode)
      .start()

  private def stopping[T](query: StreamingQuery)(use: StreamingQuery => T): T =
    try use(query)
    finally query.stop()

  test("every row of every batch arrives once, in order per key") {
    import spark.implicits._
    val hub = newHub()
    val input = MemoryStream[Int]
    val frame =
      input.toDF().select(col("value").cast("string").as("body"), (col("value") % 10).cast("string").as("partitionKey"))
    stopping(start(frame, hub)) { query =>
      (0 until 5).foreach { batch =>
        input.addData((batch * 1000) until (batch * 1000 + 1000))
        query.processAllAvailable()
      }
    }
    val byKey = written(hub).values.flatten.toSeq.groupBy(_.getPartitionKey)
    assert(byKey.values.map(_.length).sum == 5000)
    byKey.foreach { case (key, events) =>
      val numbers = events.map(_.getBodyAsString.toInt)
      assert(numbers.toSet == (key.toInt until 5000 by 10).toSet)
      // Within a batch the frame's partitions run at the same time, so only the order of batches is fixed.
      assert(numbers.map(_ / 1000) == numbers.map(_ / 1000).sorted)
    }
  }

  test("a restarted query continues where it stopped") {
    import spark.implicits._
    val hub = newHub()
    val checkpoint = newFolder().toString
    val input = MemoryStream[String]
    val frame = input.toDF().select(col("value").as("body"))
    Seq("a", "b").foreach { body =>
      stopping(start(frame, hub, checkpoint)) { query =>
        input.addData(body)
        query.processAllAvailable()
      }
    }
    assert(bodies(hub).values.flatten.toSeq.sorted == Seq("a", "b"))
  }

  test("Update and Complete mode send what each batch produces") {
    import spark.implicits._
    Seq("update" -> Seq("a=1", "a=2", "b=1"), "complete" -> Seq("a=1", "a=2", "b=1")).foreach { case (mode, expected) =>
      val hub = newHub()
      val input = MemoryStream[String]
      val counts = input.toDF().groupBy("value").count().select(concat(col("value"), lit("="), col("count")).as("body"))
      stopping(start(counts, hub, mode = mode)) { query =>
        input.addData("a")
        query.processAllAvailable()
        input.addData("a", "b")
        query.processAllAvailable()
      }
      assert(bodies(hub).values.flatten.toSeq.sorted == expected, mode)
    }
  }

  private def failure(frame: Dataset[_], hub: String, more: Map[String, String] = Map.empty): String = {
    val failed = intercept[Exception] {
      val query = start(frame, hub, more = more)
      try query.processAllAvailable()
      finally query.stop()
    }
    failed match {
      case inQuery: StreamingQueryException => inQuery.getMessage
      case atStart: EventHubsException => atStart.getMessage
      case other => s"${other.getMessage} ${Option(other.getCause).fold("")(_.getMessage)}"
    }
  }

  test("a frame without a body, an unknown hub and a wrong key fail the query at once") {
    import spark.implicits._
    val input = MemoryStream[String]
    input.addData("a")
    val body = input.toDF().select(col("value").as("body"))
    assert(failure(input.toDF(), newHub()).contains("Required attribute 'body' not found."))
    assert(failure(body, "no-such-hub").contains("EVENTHUBS_NOT_FOUND"))
    val hub = newHub()
    val wrong = localHub.connectionString(hub).replace("SAS_KEY_VALUE", "bm90IHRoZSBrZXk=")
    assert(failure(body, hub, Map("eventhubs.connectionString" -> wrong)).contains("EVENTHUBS_AUTHENTICATION"))
  }

  test("a row that cannot be sent fails the query and the rows before it are there") {
    import spark.implicits._
    val hub = newHub(1)
    val input = MemoryStream[Int](1, spark)
    val frame = input.toDF().select(when(col("value") =!= 3, col("value").cast("string")).as("body"))
    val checkpoint = newFolder().toString
    val failed = intercept[StreamingQueryException] {
      stopping(start(frame, hub, checkpoint)) { query =>
        input.addData(1, 2)
        query.processAllAvailable()
        input.addData(3)
        query.processAllAvailable()
      }
    }
    assert(failed.getMessage.contains("Its body is null"))
    assert(bodies(hub)(0).toSet == Set("1", "2"))
  }

  test("the progress reports what was sent") {
    import spark.implicits._
    val input = MemoryStream[String]
    stopping(start(input.toDF().select(col("value").as("body")), newHub())) { query =>
      input.addData("a", "b", "c")
      query.processAllAvailable()
      val metrics = query.recentProgress.map(_.sink.metrics.asScala).filter(_.get("eventsSent").contains("3"))
      assert(metrics.nonEmpty)
      assert(metrics.head.keySet ==
        Set("eventsSent", "bytesSent", "batchesSent", "throttledSends", "retriedSends", "droppedEvents", "foundEvents"))
    }
  }

  protected def progressRows(): Long = {
    import spark.implicits._
    val input = MemoryStream[String]
    stopping(start(input.toDF().select(col("value").as("body")), newHub())) { query =>
      input.addData("a", "b", "c")
      query.processAllAvailable()
      query.recentProgress.map(_.sink.numOutputRows).max
    }
  }
}

class EventHubsSinkSuite extends StreamingWriteBehaviour(throughV1 = true) {

  private def sinkTo(hub: String): EventHubsSink = {
    val to = settings(hub)
    new EventHubsSink(to, (_, query) => EventHubsWriter.write(query, to))
  }

  test("a batch that this run has written is skipped") {
    val hub = newHub()
    val sink = sinkTo(hub)
    val frame = spark.range(10).select(col("id").cast("string").as("body"))
    sink.addBatch(0, frame)
    sink.addBatch(0, frame)
    sink.addBatch(1, frame)
    assert(bodies(hub).values.flatten.size == 20)
  }

  test("a batch that failed is written again") {
    val hub = newHub()
    val sink = sinkTo(hub)
    intercept[Exception](sink.addBatch(0, spark.sql("SELECT CAST(NULL AS STRING) AS body")))
    sink.addBatch(0, spark.sql("SELECT 'a' AS body"))
    assert(bodies(hub).values.flatten.toSeq == Seq("a"))
  }
}

class EventHubsStreamingWriteSuite extends StreamingWriteBehaviour(throughV1 = false) {

  test("the progress reports the number of written rows") {
    assert(progressRows() == 3)
  }

  test("the SQL page shows what was sent") {
    assert(progressRows() == 3)
    val store = spark.sharedState.statusStore
    def sent = store.executionsList().flatMap { execution =>
      val values = store.executionMetrics(execution.executionId)
      execution.metrics.filter(_.name == "events sent to Event Hubs").flatMap(metric =>
        values.get(metric.accumulatorId)
      )
    }
    // The page's listener gets the metrics after the query has continued, and adds them up in its own thread.
    spark.sparkContext.listenerBus.waitUntilEmpty()
    eventually(s"$sent has no 3")(sent.contains("3"))
  }
}
