package benchmarks.worker

import java.nio.file.Path
import java.util.concurrent.{CompletableFuture, TimeUnit}

import benchmarks.harness.{Request, Sink, Task}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Row}

/** A batch query. */
final class BatchReadWork(format: Format) extends SparkWork {

  override protected def run(request: Request, folder: Path): Done = {
    val events = spark.read.format(format.name).options(format.reading(request)).load()
    request.task match {
      case Task.Pass =>
        request.workload.sink match {
          case Sink.Noop => events.write.format("noop").mode("overwrite").save()
          case Sink.Parquet => events.select(format.kept: _*).write.parquet(folder.resolve("out").toString)
        }
        Done(request.workload.events)
      case Task.Check => Done(Checked.count(events.agg(count("*"), sum(length(format.body))).head(), request))
      case Task.First =>
        require(events.take(1).nonEmpty, "there is no event")
        Done(1)
      case other => throw new IllegalArgumentException(s"a batch query has no ${other.name}")
    }
  }
}

/** A streaming query over what there is, until it has read it all. */
final class StreamReadWork(format: Format) extends SparkWork {

  override protected def run(request: Request, folder: Path): Done = {
    def source(perTrigger: Long): DataFrame = spark.readStream
      .format(format.name)
      .options(format.reading(request))
      .option(format.perTrigger, perTrigger)
      .load()
    val workload = request.workload
    val checkpoint = folder.resolve("checkpoint")
    request.task match {
      case Task.Pass =>
        val query = workload.sink match {
          case Sink.Noop => start(source(workload.eventsPerBatch), checkpoint, "noop")
          case Sink.Parquet =>
            start(source(workload.eventsPerBatch).select(format.kept: _*), checkpoint, "parquet", folder.resolve("out"))
        }
        MicroBatches.finished(query)
      case Task.OneEventBatches => MicroBatches.finished(start(source(1), checkpoint, "noop"))
      case Task.Check => Done(check(source(workload.eventsPerBatch), request, checkpoint))
      case Task.First => first(source(workload.partitions.toLong), checkpoint)
      case Task.IdleTriggers => new IdleTriggers(spark).count(source(workload.eventsPerBatch), checkpoint)
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
        total += Checked.count(row, request)
      }
      .start()
    query.awaitTermination()
    total
  }

  /** From the start of the query until a row of its first micro-batch is in the task that asked for it. */
  private def first(events: DataFrame, checkpoint: Path): Done = {
    val start = System.nanoTime()
    val arrived = new CompletableFuture[Long]
    val query = events.writeStream
      .option("checkpointLocation", checkpoint.toString)
      // The first batch begins at once; there is no second one.
      .trigger(Trigger.ProcessingTime(1, TimeUnit.HOURS))
      .foreachBatch { (batch: DataFrame, _: Long) =>
        require(batch.take(1).nonEmpty, "there is no event")
        arrived.complete(System.nanoTime() - start)
        ()
      }
      .start()
    try Done(1, seconds = Some(arrived.get(1, TimeUnit.MINUTES) / 1e9))
    finally query.stop()
  }
}

/** The events that a query counted must be whole. */
private object Checked {
  def count(row: Row, request: Request): Long = {
    val (events, bytes) = (row.getLong(0), row.getLong(1))
    val expected = events * request.workload.bodyBytes
    require(bytes == expected, s"$events events have $bytes bytes in their bodies; expected $expected")
    events
  }
}
