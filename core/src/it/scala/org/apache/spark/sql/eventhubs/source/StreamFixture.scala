package org.apache.spark.sql.eventhubs.source

import java.nio.file.Path
import java.util.concurrent.CopyOnWriteArrayList

import scala.jdk.CollectionConverters._

import org.scalatest.Suite

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}
import testkit.{HubService, Patience}

/** Which of Spark's two APIs a stream uses. */
sealed abstract class ApiVersion(val useV1Source: Boolean)
object ApiVersion {
  case object V1 extends ApiVersion(true)
  case object V2 extends ApiVersion(false)
}

/** Streams that read the local hub through one of the two. */
trait StreamFixture extends ReadHubFixture { this: Suite =>

  /** Spark's default. Both plan and read alike, so a suite runs with the other one only where the two differ. */
  protected def api: ApiVersion = ApiVersion.V2

  protected def stream(name: String, more: (String, String)*): DataFrame = {
    val apiOption = "eventhubs.useV1Source" -> api.useV1Source.toString
    spark.readStream.format("eventhubs").options(options(name, apiOption +: more)).load()
  }

  protected val earliest: (String, String) = "eventhubs.startingPosition" -> "earliest"
  protected val lenient: (String, String) = "failOnDataLoss" -> "false"

  /** A query and its delivered events, batch by batch. */
  protected final class Running(val query: StreamingQuery, val batches: CopyOnWriteArrayList[(Long, Seq[Seen])]) {
    def read: Seq[Seen] = batches.asScala.toSeq.flatMap(_._2)
    def sizes: Seq[Int] = batches.asScala.toSeq.map(_._2.size).filter(_ > 0)
    def stop(): Unit = query.stop()

    /** Waits until all events of the hub are delivered. */
    def catchUp(): Seq[Seen] = {
      HubService.current.awaitAnswers()
      query.processAllAvailable()
      read
    }

    /** Source metrics of the last batch. */
    def metrics: Map[String, String] = query.lastProgress.sources.head.metrics.asScala.toMap

    def failure(): EventHubsException = ours(intercept(query))
  }

  /** @param onBatch called with each batch id, after the batch's events were read */
  protected def start(
      frame: DataFrame,
      checkpoint: Path,
      trigger: Trigger,
      onBatch: Long => Unit = _ => ()
  ): Running = {
    if (trigger == Trigger.AvailableNow()) HubService.current.awaitAnswers()
    val batches = new CopyOnWriteArrayList[(Long, Seq[Seen])]
    val collect = (rows: DataFrame, id: Long) => {
      batches.add(id -> seen(rows))
      onBatch(id)
    }
    val query = frame.writeStream
      .foreachBatch(collect)
      .option("checkpointLocation", checkpoint.toUri.toString)
      .trigger(trigger)
      .start()
    new Running(query, batches)
  }

  /** A query that runs until it is stopped. */
  protected def running(
      frame: DataFrame,
      checkpoint: Path = newFolder(),
      onBatch: Long => Unit = _ => ()
  )(test: Running => Unit): Unit = {
    val started = start(frame, checkpoint, Trigger.ProcessingTime(0), onBatch)
    try test(started)
    finally started.stop()
  }

  /** A query that ends when it has read all existing events. */
  protected def readAvailable(
      frame: DataFrame,
      checkpoint: Path = newFolder(),
      onBatch: Long => Unit = _ => ()
  ): Running = {
    val started = start(frame, checkpoint, Trigger.AvailableNow(), onBatch)
    try assert(started.query.awaitTermination(Patience.queryMillis), "it has not ended in time")
    finally started.stop()
    started
  }

  /** The connector's error that stops a query. */
  protected def failureOf(frame: => DataFrame, checkpoint: Path = newFolder()): EventHubsException = {
    val started = start(frame, checkpoint, Trigger.AvailableNow())
    try ours(intercept(started.query))
    finally started.stop()
  }

  private def intercept(query: StreamingQuery): Throwable =
    try
      if (query.awaitTermination(Patience.queryMillis)) throw new AssertionError("the query ended without an error")
      else throw new AssertionError("the query has not failed in time")
    catch { case failed: StreamingQueryException => failed }
}
