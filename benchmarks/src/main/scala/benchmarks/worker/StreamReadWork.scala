package benchmarks.worker

import java.nio.file.Path
import java.util.concurrent.{CompletableFuture, TimeUnit}

import benchmarks.harness.{Request, Sink, Task}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}

/** A streaming query that reads the whole hub and ends. */
final class StreamReadWork(format: Format) extends SparkWork {

  override protected def run(request: Request, folder: Path): Outcome = {
    def source(perTrigger: Long): DataFrame = spark.readStream
      .format(format.name)
      .options(format.readOptions(request))
      .option(format.eventsPerTriggerOption, perTrigger)
      .load()
    val workload = request.workload
    val checkpoint = folder.resolve("checkpoint")
    request.task match {
      case Task.Pass =>
        val query = workload.sink match {
          case Sink.Noop => start(source(workload.eventsPerBatch), checkpoint, "noop")
          case Sink.Parquet =>
            start(
              source(workload.eventsPerBatch).select(format.stored: _*),
              checkpoint,
              "parquet",
              folder.resolve("out")
            )
        }
        MicroBatches.finished(query, workload.steady)
      case Task.OneEventBatches => MicroBatches.finished(start(source(1), checkpoint, "noop"))
      case Task.Check => Outcome(check(source(workload.eventsPerBatch), request, checkpoint))
      case Task.FirstEvent => first(source(workload.partitions.toLong), checkpoint)
      case Task.IdleTriggers => new IdleTriggerTimer(spark).count(source(workload.eventsPerBatch), checkpoint)
    }
  }

  private def start(events: DataFrame, checkpoint: Path, sink: String, out: Path = Path.of("")): StreamingQuery = {
    val writer = events.writeStream
      .format(sink)
      .option("checkpointLocation", checkpoint.toString)
      .trigger(Trigger.AvailableNow())
    if (sink == "noop") writer.start() else writer.start(out.toString)
  }

  private def check(events: DataFrame, request: Request, checkpoint: Path): Long = {
    var total = 0L
    val query = events.writeStream
      .option("checkpointLocation", checkpoint.toString)
      .trigger(Trigger.AvailableNow())
      .foreachBatch { (batch: DataFrame, _: Long) =>
        val row = batch.agg(count("*"), sum(length(format.body))).head()
        total += EventCheck.count(row, request)
      }
      .start()
    query.awaitTermination()
    total
  }

  /** The time from the start of the query to the first row of its first micro-batch. */
  private def first(events: DataFrame, checkpoint: Path): Outcome = {
    val start = System.nanoTime()
    val arrived = new CompletableFuture[Long]
    val query = events.writeStream
      .option("checkpointLocation", checkpoint.toString)
      // The first batch starts at once; there is no second one.
      .trigger(Trigger.ProcessingTime(1, TimeUnit.HOURS))
      .foreachBatch { (batch: DataFrame, _: Long) =>
        require(batch.take(1).nonEmpty, "there is no event")
        arrived.complete(System.nanoTime() - start)
        ()
      }
      .start()
    try Outcome(1, seconds = Some(arrived.get(1, TimeUnit.MINUTES) / 1e9))
    finally query.stop()
  }
}
