package benchmarks.worker

import java.nio.file.Path

import benchmarks.harness.Request

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger

/** A batch query that writes equal bodies, which cost Spark next to nothing. */
final class BatchWriteWork(format: Format) extends SparkWork {

  override protected def run(request: Request, folder: Path): Outcome = {
    val rows = spark.range(0, request.workload.events, 1, 2).toDF()
    rows.select(WriteColumns.columns(format, request): _*)
      .write
      .format(format.name)
      .options(format.writeOptions(request))
      .mode("append")
      .save()
    Outcome(request.workload.events)
  }
}

/** A streaming query that writes the same rows in micro-batches. */
final class StreamWriteWork(format: Format) extends SparkWork {

  override protected def run(request: Request, folder: Path): Outcome = {
    val query = spark.readStream
      .format(classOf[NumberSource].getName)
      .option("events", request.workload.events)
      .option("eventsPerBatch", request.workload.eventsPerBatch)
      .load()
      .select(WriteColumns.columns(format, request): _*)
      .writeStream
      .format(format.name)
      .options(format.writeOptions(request))
      .option("checkpointLocation", folder.resolve("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start()
    MicroBatches.finished(query)
  }
}

private object WriteColumns {
  def columns(format: Format, request: Request): Seq[Column] =
    format.toWrite(lit(Array.fill(request.workload.bodyBytes)('x'.toByte)), col("id"), request)
}
