package benchmarks.worker

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.StreamingQuery

/** What a query did that ends by itself. */
private object MicroBatches {

  def finished(query: StreamingQuery): Done = {
    query.awaitTermination()
    val batches = query.recentProgress.toSeq.filter(_.numInputRows > 0)
    Done(
      batches.map(_.numInputRows).sum,
      batches.map(_.durationMs.asScala.map { case (step, millis) => step -> millis.longValue }.toMap)
    )
  }
}
