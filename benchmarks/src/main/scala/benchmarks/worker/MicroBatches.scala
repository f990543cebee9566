package benchmarks.worker

import java.time.{Duration, Instant}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

/** The micro-batches of a query that ends without being stopped. */
private object MicroBatches {

  /** First micro-batches, in which Spark compiles its generated code, the JVM compiles the rest, and links open. */
  private val Starting = 2

  /** Micro-batches of a long stream. */
  private val Many = 100

  /** @param isLong whether the stream must have so many micro-batches that the second half shows its steady state */
  def finished(query: StreamingQuery, isLong: Boolean = false): Outcome = {
    query.awaitTermination()
    val batches = query.recentProgress.toSeq.filter(_.numInputRows > 0)
    require(!isLong || batches.size >= Many, s"the stream had ${batches.size} micro-batches, fewer than $Many")
    val counted = if (isLong) batches.drop(batches.size / 2).init else steady(batches)
    Outcome(
      batches.map(_.numInputRows).sum,
      counted.map(_.durationMs.asScala.map { case (step, millis) => step -> millis.longValue }.toMap),
      steady = Option.when(counted.size < batches.size)((counted.map(_.numInputRows).sum, seconds(counted))),
      lastBatchMillis = Option.when(counted.size < batches.size)(millis(batches.last))
    )
  }

  /**
   * The micro-batches in the steady state: without the first ones and the last one, or all of them if there are too
   * few. The last one reads up to the end of the log, where Spark's Kafka connector waits for half a second per task. A
   * stream that lags behind, or whose hub is written to, does not wait.
   */
  private def steady(batches: Seq[StreamingQueryProgress]): Seq[StreamingQueryProgress] =
    if (batches.size > Starting + 1) batches.slice(Starting, batches.size - 1) else batches

  /** From the start of the first to the end of the last, including the time between micro-batches. */
  private def seconds(batches: Seq[StreamingQueryProgress]): Double = {
    val end = Instant.parse(batches.last.timestamp).plusMillis(millis(batches.last))
    Duration.between(Instant.parse(batches.head.timestamp), end).toMillis / 1000.0
  }

  private def millis(batch: StreamingQueryProgress): Long = batch.durationMs.get("triggerExecution")
}
