package benchmarks.worker

import java.nio.file.Path

import benchmarks.harness.Request

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{Column, DataFrame}

/** A batch query that writes equal bodies: rows that cost Spark next to nothing. */
final class BatchWriteWork(format: Format) extends SparkWork {

  override protected def run(request: Request, folder: Path): Done = {
    val rows = spark.range(0, request.workload.events, 1, 2).toDF()
    rows.select(Written.columns(format, request): _*)
      .write
      .format(format.name)
      .options(format.writing(request))
      .mode("append")
      .save()
    Done(request.workload.events)
  }
}

/** A streaming query that writes the same, a pair of small files of numbers in each micro-batch. */
final class StreamWriteWork(format: Format) extends SparkWork {

  private var numbers = Option.empty[(Long, Long, Path)]

  override protected def run(request: Request, folder: Path): Done = {
    val query = source(request)
      .select(Written.columns(format, request): _*)
      .writeStream
      .format(format.name)
      .options(format.writing(request))
      .option("checkpointLocation", folder.resolve("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start()
    MicroBatches.finished(query)
  }

  override def close(): Unit =
    try super.close()
    finally numbers.foreach { case (_, _, folder) => SparkWork.delete(folder.getParent) }

  private def source(request: Request): DataFrame = {
    spark.readStream.schema("id long").option("maxFilesPerTrigger", 2).parquet(filesOf(request).toString)
  }

  private def filesOf(request: Request): Path = {
    val (events, perBatch) = (request.workload.events, request.workload.eventsPerBatch)
    numbers.collect { case (`events`, `perBatch`, folder) => folder }.getOrElse {
      val folder = java.nio.file.Files.createTempDirectory("numbers").resolve("files")
      val files = 2 * math.ceil(events.toDouble / perBatch).toInt
      spark.range(0, events, 1, files).write.parquet(folder.toString)
      numbers = Some((events, perBatch, folder))
      folder
    }
  }
}

private object Written {
  def columns(format: Format, request: Request): Seq[Column] =
    format.written(lit(Array.fill(request.workload.bodyBytes)('x'.toByte)), col("id"), request)
}
