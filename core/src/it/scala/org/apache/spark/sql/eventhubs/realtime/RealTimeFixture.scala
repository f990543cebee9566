package org.apache.spark.sql.eventhubs.realtime

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.scalatest.Suite

import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, ForeachWriter, Row}

/** What a foreach sink has written in this JVM: body and milliseconds since the event's enqueued time. */
object RealTimeRows {
  val all = new ConcurrentLinkedQueue[(String, String, Long)]

  def of(query: String): Seq[(String, Long)] = all.asScala.toSeq.collect { case (`query`, body, late) => body -> late }
}

class RealTimeRowsWriter(query: String) extends ForeachWriter[Row] {
  override def open(partitionId: Long, epochId: Long): Boolean = true
  override def process(row: Row): Unit = {
    val late = System.currentTimeMillis() - row.getAs[java.sql.Timestamp]("enqueuedTime").getTime
    RealTimeRows.all.add((query, new String(row.getAs[Array[Byte]]("body")), late))
    ()
  }
  override def close(errorOrNull: Throwable): Unit = ()
}

/** Real-Time queries and micro-batches whose rows stay in this JVM. */
trait RealTimeFixture extends ReadSparkFixture { this: Suite =>

  protected def start(name: String, frame: DataFrame, trigger: Trigger, checkpoint: String): StreamingQuery = {
    spark.conf.set("spark.sql.streaming.realTimeMode.minBatchDuration", "1s")
    frame.writeStream
      .foreach(new RealTimeRowsWriter(name))
      .outputMode(if (trigger == realTime) OutputMode.Update() else OutputMode.Append())
      .option("checkpointLocation", checkpoint)
      .trigger(trigger)
      .start()
  }

  protected val realTime = Trigger.RealTime("2 seconds")

  protected def percentiles(late: Seq[Long]): String = {
    val sorted = late.sorted
    s"p50 ${sorted(sorted.length / 2)} ms, p99 ${sorted((sorted.length * 99) / 100)} ms of ${sorted.length}"
  }

  /** Sends one event at a time and lets `running` see each before the next. */
  protected def trickle(hub: String, name: String, events: Int): Unit =
    (0 until events).foreach { n =>
      fill(hub, n % 2, n, n + 1)
      eventually(s"event $n did not come")(RealTimeRows.of(name).size == n + 1)
    }
}
