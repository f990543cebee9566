package org.apache.spark.sql.eventhubs.sink

import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import testkit.TestSuite

/**
 * A hub that accepts a tenth of the offered events, and later all of them. `THROTTLED_SECONDS=60` runs the long form.
 */
class ThrottledWriteSuite extends TestSuite with WriteSparkFixture {

  private val seconds = sys.env.get("THROTTLED_SECONDS").fold(6)(_.toInt)

  /** Events per second: ten times what one throughput unit allows. */
  private val offered = 10000

  private def countingFailures(test: AtomicInteger => Unit): Unit = {
    val failed = new AtomicInteger
    val listener = new SparkListener {
      override def onTaskEnd(task: SparkListenerTaskEnd): Unit =
        if (!task.taskInfo.successful && !task.taskInfo.killed) { failed.incrementAndGet(); () }
    }
    spark.sparkContext.addSparkListener(listener)
    try test(failed)
    finally spark.sparkContext.removeSparkListener(listener)
  }

  private def until(what: String)(condition: => Boolean): Unit = {
    val deadline = System.nanoTime() + (60L + 4 * seconds) * 1000 * 1000 * 1000
    while (!condition) {
      assert(System.nanoTime() < deadline, s"did not come true: $what")
      Thread.sleep(20)
    }
  }

  private def stored(hub: String): Long =
    localHub.namespace.find(hub).get.partitions.map(_.bounds.lastSequenceNumber + 1).sum

  private def throttledBatches(query: StreamingQuery): Int =
    query.recentProgress.count(_.sink.metrics.asScala.get("throttledSends").exists(_ != "0"))

  Seq("at-least-once", "exactly-once").foreach { guarantee =>
    test(s"a stream into a busy hub slows down, loses nothing, fails no task, and recovers at once; $guarantee") {
      countingFailures { failed =>
        val hub = newHub()
        localHub.amqp.throughput.set(hub, 1)
        val query =
          spark.readStream.format("rate").option("rowsPerSecond", offered.toLong).option("numPartitions", 2).load()
            .select(col("value").cast("string").as("body"), (col("value") % 100).cast("string").as("partitionKey"))
            .writeStream.format("eventhubs")
            .options(options(hub, "eventhubs.deliveryGuarantee" -> guarantee))
            .option("checkpointLocation", newFolder().toString)
            .start()
        val rows =
          try {
            until("the first events are stored")(stored(hub) > 0)
            // The hub accepts a first batch of any size at once, and is busy afterwards.
            val first = stored(hub)
            until("it was busy for so long")(stored(hub) >= first + 1000L * seconds)
            query.exception.foreach(throw _)
            localHub.amqp.throughput.clear(hub)
            // A throttled batch reports its progress only at its end.
            until("a batch reports that it was throttled")(throttledBatches(query) > 0)
            val busy = stored(hub)
            until("it has caught up") {
              val last = Option(query.lastProgress)
              stored(hub) > busy && last.exists(_.sink.metrics.asScala.get("throttledSends").contains("0")) &&
              last.exists(_.numInputRows > 0)
            }
            query.recentProgress.map(_.sink.metrics.get("eventsSent").toLong).sum
          } finally query.stop()
        // The hub may also have events of a batch that had no progress report when the query stopped.
        val numbers = arrived(hub)
        assert(numbers.distinct.length == numbers.length, "an event is in the hub twice")
        assert(numbers.length >= rows)
        assert((0L until rows).forall(numbers.toSet), "an event is missing")
        assert(failed.get() == 0, "tasks failed")
      }
    }
  }

  private def arrived(hub: String): Seq[Long] = bodies(hub).values.flatten.map(_.toLong).toSeq
}
