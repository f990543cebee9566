package benchmarks.worker

import java.nio.file.Path

import benchmarks.harness.Request

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
