package org.apache.spark.sql.eventhubs.planning

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import org.apache.spark.sql.streaming.{StreamingQueryException, StreamingQueryProgress, Trigger}
import testkit.TestSuite

/** The size of micro-batches and their metrics, over AMQP, the same for both APIs. */
abstract class TriggerLimitsBehaviour(useV1: Boolean) extends TestSuite with ReadSparkFixture {

  private def read(hub: String, more: (String, String)*): DataFrame =
    stream(hub, more ++ Seq(fromStart, "eventhubs.useV1Source" -> useV1.toString): _*)

  private def rowsPerBatch(progress: Seq[StreamingQueryProgress]): Seq[Long] =
    progress.map(_.numInputRows).filter(_ > 0)

  test("AvailableNow reads all events in batches of at most the limit") {
    val hub = newHub(2)
    fill(hub, 0, 0, 12)
    fill(hub, 1, 0, 3)
    val table = s"limited_$useV1"
    val writer = read(hub, "eventhubs.maxEventsPerTrigger" -> "5").writeStream.format("memory").queryName(table)
    val query = runAvailable(writer, newFolder().toString)
    val rows = bodiesOf(spark.table(table).collect().toSeq)
    assert(rows.sorted == (names(0, 0, 12) ++ names(1, 0, 3)).toSeq.sorted)
    assert(rowsPerBatch(query.recentProgress.toSeq).forall(_ <= 5))
    assert(query.recentProgress.head.sources.head.description.startsWith(s"EventHubs[$hub in localhost"))
  }

  test("a limit in bytes starts with few events and follows the size of the events") {
    val hub = newHub(1)
    send(hub, 0, (0 until 400).map(n => s"$n".padTo(1000, '.')): _*)
    val writer = read(hub, "eventhubs.maxBytesPerTrigger" -> "100000").writeStream.format("noop")
    val query = runAvailable(writer, newFolder().toString)
    val batches = rowsPerBatch(query.recentProgress.toSeq)
    assert(batches == Seq(1, 100, 100, 100, 99))
  }

  test("a minimum delays a small batch until there are enough events") {
    val hub = newHub(2)
    fill(hub, 0, 0, 1)
    val interval = "spark.sql.streaming.noDataProgressEventInterval"
    spark.conf.set(interval, "50") // tell of triggers that read nothing
    val query = read(hub, "eventhubs.minEventsPerTrigger" -> "10", "eventhubs.maxTriggerDelay" -> "1h").writeStream
      .format("memory").queryName(s"held_$useV1").option("checkpointLocation", newFolder().toString)
      .trigger(Trigger.ProcessingTime(50)).start()
    try {
      def read = spark.table(s"held_$useV1").count()
      eventually("the first batch did not come")(read == 1)
      fill(hub, 0, 1, 6)
      eventually("no trigger ran")(Option(query.lastProgress).exists(_.sources.head.latestOffset.contains("\"0\":6")))
      assert(query.lastProgress.numInputRows == 0 && read == 1)
      fill(hub, 1, 0, 5)
      eventually(s"$read of 11 rows")(read == 11)
    } finally {
      query.stop()
      spark.conf.unset(interval)
    }
  }

  test("AvailableNow does not wait for the minimum") {
    val hub = newHub(1)
    fill(hub, 0, 0, 3)
    val checkpoint = newFolder().toString
    def run() = runAvailable(read(hub, "eventhubs.minEventsPerTrigger" -> "10").writeStream.format("noop"), checkpoint)
    assert(rowsPerBatch(run().recentProgress.toSeq) == Seq(3))
    fill(hub, 0, 3, 4)
    assert(rowsPerBatch(run().recentProgress.toSeq) == Seq(1))
  }

  test(
    "AvailableNow that failed halfway continues after a restart to the end at that time, without loss or duplicates"
  ) {
    val hub = newHub(2)
    (0 to 1).foreach(fill(hub, _, 0, 10))
    val checkpoint = newFolder().toString
    val rows = new java.util.concurrent.ConcurrentLinkedQueue[String]
    def run(failAt: Long) =
      runAvailable(
        read(hub, "eventhubs.maxEventsPerTrigger" -> "6").writeStream.foreachBatch { (frame: DataFrame, batch: Long) =>
          if (batch == failAt) throw new IllegalStateException("as the test wants")
          bodiesOf(frame.collect().toSeq).foreach(rows.add)
        },
        checkpoint
      )
    intercept[StreamingQueryException](run(failAt = 2))
    (0 to 1).foreach(fill(hub, _, 10, 14))
    run(failAt = -1)
    assert(rows.asScala.toSeq.sorted == (names(0, 0, 14) ++ names(1, 0, 14)).toSeq.sorted)
  }

  test("the target of AvailableNow does not move while events arrive") {
    val hub = newHub(1)
    fill(hub, 0, 0, 10)
    val checkpoint = newFolder().toString
    def run(sendInBatches: Boolean): Long = {
      var rows = 0L
      runAvailable(
        read(hub, "eventhubs.maxEventsPerTrigger" -> "4").writeStream.foreachBatch { (frame: DataFrame, batch: Long) =>
          rows += frame.count()
          if (sendInBatches) fill(hub, 0, 10 + batch.toInt, 11 + batch.toInt)
        },
        checkpoint
      )
      rows
    }
    assert(run(sendInBatches = true) == 10)
    assert(run(sendInBatches = false) > 0)
  }

  test("the progress reports how far behind the query is, in events and in seconds") {
    val hub = newHub(1)
    fill(hub, 0, 0, 5)
    val sent = System.nanoTime()
    eventually("the clock stands still")(System.nanoTime() - sent > 20000000) // the halves differ in enqueued time
    fill(hub, 0, 5, 10)
    val writer = read(hub, "eventhubs.maxEventsPerTrigger" -> "5").writeStream.format("noop")
    val progress = runAvailable(writer, newFolder().toString).recentProgress.filter(_.numInputRows > 0)
    val metrics = progress.map(_.sources.head.metrics.asScala.toMap)
    assert(metrics.map(_("eventsBehind")).toSeq == Seq("5", "0"))
    assert(metrics.head("maxSecondsBehind").toDouble >= 0.02)
    assert(metrics.last("maxSecondsBehind").toDouble == 0.0)
    assert(metrics.forall(m => m("throttled") == "0" && m("lostEvents") == "0"))
  }
}

class EventHubsSourceLimitsSuite extends TriggerLimitsBehaviour(useV1 = true)

class EventHubsMicroBatchStreamLimitsSuite extends TriggerLimitsBehaviour(useV1 = false)
