package benchmarks.worker

import java.time.{Duration, Instant}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

/** What a query did that ends by itself. */
private object MicroBatches {

  def finished(query: StreamingQuery): Done = {
    query.awaitTermination()
    val batches = query.recentProgress.toSeq.filter(_.numInputRows > 0)
    val steps = (if (batches.length > 1) batches.tail else batches).map(_.durationMs.asScala)
    Done(
      batches.map(_.numInputRows).sum,
      steps.map(_.map { case (step, millis) => step -> millis.longValue }.toMap),
      going = going(batches)
    )
  }

  /**
   * All but the first micro-batch, in which Spark compiles the generated code of the new query and links are opened. What
   * lies between them counts.
   */
  private def going(batches: Seq[StreamingQueryProgress]): Option[(Long, Double)] = Option.when(batches.length > 1) {
    val further = batches.tail
    val end = Instant.parse(further.last.timestamp).plusMillis(further.last.durationMs.get("triggerExecution"))
    (further.map(_.numInputRows).sum, Duration.between(Instant.parse(further.head.timestamp), end).toMillis / 1000.0)
  }
}
