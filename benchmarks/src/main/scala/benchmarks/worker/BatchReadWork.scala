package benchmarks.worker

import java.nio.file.Path

import benchmarks.harness.{Request, Sink, Task}

import org.apache.spark.sql.functions._

/** A batch query. */
final class BatchReadWork(format: Format) extends SparkWork {

  override protected def run(request: Request, folder: Path): Outcome = {
    val events = spark.read.format(format.name).options(format.readOptions(request)).load()
    request.task match {
      case Task.Pass =>
        request.workload.sink match {
          case Sink.Noop => events.write.format("noop").mode("overwrite").save()
          case Sink.Parquet => events.select(format.stored: _*).write.parquet(folder.resolve("out").toString)
        }
        Outcome(request.workload.events)
      case Task.Check => Outcome(EventCheck.count(events.agg(count("*"), sum(length(format.body))).head(), request))
      case Task.FirstEvent =>
        require(events.take(1).nonEmpty, "there is no event")
        Outcome(1)
      case other => throw new IllegalArgumentException(s"a batch query has no task '${other.name}'")
    }
  }
}
