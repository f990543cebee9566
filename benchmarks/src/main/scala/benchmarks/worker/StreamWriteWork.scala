package benchmarks.worker

import java.nio.file.Path

import benchmarks.harness.Request

import org.apache.spark.sql.streaming.Trigger

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
    MicroBatches.finished(query, request.workload.steady)
  }
}
