package org.apache.spark.sql.eventhubs.memory

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.streaming.{OutputMode, Trigger}
import org.apache.spark.sql.{ForeachWriter, Row}
import testkit.TestSuite

/** A sink that stops at the first large event until a test lets it continue. */
object StoppedSink {
  val rows = new AtomicLong
  @volatile var reached = new CountDownLatch(1)
  @volatile var go = new CountDownLatch(1)

  def reset(): Unit = {
    rows.set(0)
    reached = new CountDownLatch(1)
    go = new CountDownLatch(1)
  }
}

class StoppedSinkWriter(largeBytes: Int) extends ForeachWriter[Row] {
  override def open(partitionId: Long, epochId: Long): Boolean = true
  override def process(row: Row): Unit = {
    if (row.getAs[Array[Byte]]("body").length == largeBytes) {
      StoppedSink.reached.countDown()
      StoppedSink.go.await()
    }
    StoppedSink.rows.incrementAndGet()
    ()
  }
  override def close(errorOrNull: Throwable): Unit = ()
}

/** What waits for the tasks of streams is bounded in bytes when large events follow small ones. */
class StreamMemorySuite extends TestSuite with WaitingBytesFixture {

  private val largeBytes = 500000
  private val smallCount = 6000
  private val largeCount = 80

  private case class Form(name: String, trigger: Trigger, more: (String, String)*)

  Seq(
    Form("V2", Trigger.ProcessingTime(0)),
    Form("V1", Trigger.ProcessingTime(0), "eventhubs.useV1Source" -> "true"),
    Form("V2 with the replay cache", Trigger.ProcessingTime(0), "eventhubs.replayCacheBytes" -> "4m"),
    Form("Real-Time Mode", Trigger.RealTime("2 seconds"))
  ).foreach { form =>
    test(s"while a task is stopped, not more than the window waits: ${form.name}") {
      StoppedSink.reset()
      spark.conf.set("spark.sql.streaming.realTimeMode.minBatchDuration", "1s")
      val name = newHub(1)
      sendSmall(name, smallCount)
      val before = sentBytes
      val query = spark.readStream
        .format("eventhubs")
        .options(options(name, Seq(buffer, "eventhubs.startingPosition" -> "earliest") ++ form.more))
        .load()
        .writeStream
        .foreach(new StoppedSinkWriter(largeBytes))
        .outputMode(if (form.name == "Real-Time Mode") OutputMode.Update() else OutputMode.Append())
        .option("checkpointLocation", newFolder().toString)
        .trigger(form.trigger)
        .start()
      try {
        eventually("all small events are read")(StoppedSink.rows.get == smallCount)
        sendLarge(name, largeCount, largeBytes)
        StoppedSink.reached.await()
        awaitQuiet()
        val waiting = sentBytes - before - smallCount * SmallBytes
        // Of the first two links, each may have filled its window with large events.
        assert(waiting <= 2 * windowBytes + smallCount * 200L + framingBytes)
        StoppedSink.go.countDown()
        eventually(s"all events are read: ${StoppedSink.rows.get}") {
          query.exception.foreach(throw _)
          StoppedSink.rows.get == smallCount + largeCount
        }
      } finally {
        StoppedSink.go.countDown()
        query.stop()
      }
    }
  }
}
