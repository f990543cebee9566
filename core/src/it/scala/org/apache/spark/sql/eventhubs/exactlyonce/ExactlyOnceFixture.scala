package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.{Files, Path}

import org.scalatest.Suite

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.eventhubs.sink.WriteSparkFixture
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.{DataFrame, Dataset}

/** Exactly-once queries that fail where a test requires it. */
trait ExactlyOnceFixture extends WriteSparkFixture { this: Suite =>

  protected val exactlyOnce: Seq[(String, String)] = Seq(
    "eventhubs.deliveryGuarantee" -> "exactly-once",
    // Longer than events need to arrive at a hub in this process. A failing task has waited for its answers before.
    "eventhubs.settleDelay" -> "300ms",
    // Many batches, so that some rows are sent when a task fails.
    "eventhubs.maxBatchBytes" -> "2k"
  )

  /**
   * With [[padded]] bodies a task has at most about 1,000 unanswered rows and waits until the hub stores the first
   * ones. So a later failure finds some stored rows, however slow the hub is.
   */
  protected val heldBack: Seq[(String, String)] =
    exactlyOnce ++ Seq("eventhubs.maxBatchBytes" -> "20k", "eventhubs.maxInFlightBytes" -> "1m")

  protected def padded(body: String): String = body.padTo(1000, '.')

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    Breaking.stop()
  }

  /** `value` as the body; fails where [[Breaking]] requires it. */
  protected def fragile(frame: DataFrame): DataFrame = {
    val fails = udf((value: Int) => Breaking.row(value))
    frame.select(fails(col("value")).cast("string").as("body"))
  }

  protected def start(
      frame: Dataset[_],
      hub: String,
      checkpoint: Path,
      more: Seq[(String, String)] = exactlyOnce
  ): StreamingQuery =
    frame.writeStream
      .format("eventhubs")
      .options(options(hub, more: _*))
      .option("checkpointLocation", checkpoint.toString)
      .start()

  /** Writes the source's rows and stops. */
  protected def run(
      frame: Dataset[_],
      hub: String,
      checkpoint: Path,
      more: Seq[(String, String)] = exactlyOnce
  ): Map[String, String] = {
    val query = start(frame, hub, checkpoint, more)
    try {
      query.processAllAvailable()
      import scala.jdk.CollectionConverters._
      Option(query.lastProgress).fold(Map.empty[String, String])(_.sink.metrics.asScala.toMap)
    } finally query.stop()
  }

  protected def failure(
      frame: => Dataset[_],
      hub: String,
      checkpoint: Path,
      more: Seq[(String, String)] = exactlyOnce
  ): Throwable =
    try {
      run(frame, hub, checkpoint, more)
      throw new AssertionError("it has not failed")
    } catch { case failed @ (_: StreamingQueryException | _: EventHubsException) => failed }

  protected def condition(error: Throwable): String =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).collectFirst { case ours: EventHubsException =>
      ours.getCondition
    }.getOrElse(throw new AssertionError("no EventHubsException is behind this", error))

  /** Simulates a driver that died after the batch was written and before Spark committed it. */
  protected def forgetCommit(checkpoint: Path, batch: Int): Unit = {
    Files.delete(checkpoint.resolve(s"commits/$batch"))
    Files.deleteIfExists(checkpoint.resolve(s"commits/.$batch.crc"))
    ()
  }

  protected def arrived(hub: String): Seq[String] = bodies(hub).values.flatten.toSeq

  /** Compares as multisets and reports the differences. */
  protected def assertSame(actual: Seq[String], expected: Seq[String]): Unit = {
    val (missing, surplus) = (expected.diff(actual), actual.diff(expected))
    assert(
      missing.isEmpty && surplus.isEmpty,
      s"${missing.length} missing: ${missing.take(10)}; ${surplus.length} too many: ${surplus.take(10)}"
    )
  }
}

/** Makes rows fail. It is an object, because the rows' function runs in the executor, which is this JVM. */
object Breaking {
  @volatile private var fails: Int => Boolean = _ => false

  def when(condition: Int => Boolean): Unit = fails = condition

  def stop(): Unit = fails = _ => false

  def row(value: Int): Int = if (fails(value)) throw new IllegalStateException("broken on purpose") else value
}
