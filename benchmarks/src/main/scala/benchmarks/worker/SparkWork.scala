package benchmarks.worker

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import benchmarks.harness.{Operation, Request}

import org.apache.spark.sql.SparkSession

/** A query on a `local[2]` session. */
abstract class SparkWork extends Work {

  protected val spark: SparkSession = SparkWork.session()

  override final def run(request: Request): Outcome = {
    val folder = Files.createTempDirectory("bench")
    try run(request, folder)
    finally SparkWork.delete(folder)
  }

  /** @param folder an empty folder for checkpoint and files, which is deleted afterwards */
  protected def run(request: Request, folder: Path): Outcome

  override def close(): Unit = spark.stop()
}

object SparkWork {

  def session(): SparkSession =
    SparkSession
      .builder()
      .master("local[2]")
      .config("spark.driver.host", "127.0.0.1")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      // A query must report all its micro-batches, and each trigger without events.
      .config("spark.sql.streaming.numRecentProgressUpdates", "10000")
      .config("spark.sql.streaming.noDataProgressEventInterval", "0")
      .config("spark.sql.streaming.pollingDelay", "0")
      .getOrCreate()

  def open(operation: Operation, format: Format): Work = operation match {
    case Operation.BatchRead => new BatchReadWork(format)
    case Operation.StreamRead => new StreamReadWork(format)
    case Operation.BatchWrite => new BatchWriteWork(format)
    case Operation.StreamWrite => new StreamWriteWork(format)
    case other => throw new IllegalArgumentException(s"${other.name} is not a query")
  }

  private[benchmarks] def delete(folder: Path): Unit = {
    val files = Files.walk(folder)
    try files.iterator.asScala.toSeq.reverse.foreach(Files.deleteIfExists(_))
    finally files.close()
  }
}
