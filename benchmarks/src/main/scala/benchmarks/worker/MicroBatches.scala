package benchmarks.worker

import java.time.{Duration, Instant}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

/** What a query did that ends by itself. */
private object MicroBatches {

  /** Before a query goes as it will: Spark compiles the code it has generated, the JVM what that runs, links are opened. */
  private val Starting = 2

  def finished(query: StreamingQuery): Done = {
    query.awaitTermination()
    val batches = query.recentProgress.toSeq.filter(_.numInputRows > 0)
    val counted = going(batches)
    Done(
      batches.map(_.numInputRows).sum,
      counted.map(_.durationMs.asScala.map { case (step, millis) => step -> millis.longValue }.toMap),
      going = Option.when(counted.size < batches.size)((counted.map(_.numInputRows).sum, seconds(counted))),
      lastBatchMillis = Option.when(counted.size < batches.size)(millis(batches.last))
    )
  }

  /**
   * The micro-batches of a query that neither starts nor ends; all of them where there are too few. The last one reads up to
   * the end of the log, where Spark's Kafka connector waits for half a second per task, which no stream does that lags
   * behind or whose hub is written to.
   */
  private def going(batches: Seq[StreamingQueryProgress]): Seq[StreamingQueryProgress] =
    if (batches.size > Starting + 1) batches.slice(Starting, batches.size - 1) else batches

  /** From the first of them until the last has ended: what lies between micro-batches counts. */
  private def seconds(batches: Seq[StreamingQueryProgress]): Double = {
    val end = Instant.parse(batches.last.timestamp).plusMillis(millis(batches.last))
    Duration.between(Instant.parse(batches.head.timestamp), end).toMillis / 1000.0
  }

  private def millis(batch: StreamingQueryProgress): Long = batch.durationMs.get("triggerExecution")
}
