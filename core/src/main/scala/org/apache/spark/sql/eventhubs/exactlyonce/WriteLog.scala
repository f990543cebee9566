package org.apache.spark.sql.eventhubs.exactlyonce

import scala.util.Try

import org.apache.hadoop.fs.Path

import org.apache.spark.eventhubs.Json
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.compat.SparkInternals
import org.apache.spark.sql.eventhubs.planning.CheckpointFile
import org.apache.spark.sql.eventhubs.planning.CheckpointFile._

/**
 * One [[CheckpointFile]] for each batch, written before the batch is sent. An incomplete file does not count: its writer
 * was stopped, so nothing of its batch was sent. The caller removes entries of batches that are done, and no others.
 *
 * @param path folder; created with its first file
 */
private[eventhubs] final class WriteLog(spark: SparkSession, val path: String) extends Logging {

  private val folder = new Path(path)
  private val files = CheckpointFile.fileSystem(folder, SparkInternals.hadoopConf(spark))

  /** Once there, entries have been removed. */
  private val marker = new CheckpointFile(new Path(folder, "removed"), files)

  /** The lowest batch that has an entry, if entries were removed; asked for once. */
  private lazy val oldestKept: Option[Long] = marker.read() match {
    case Missing => None
    case _ => batches.headOption
  }

  /** The record of a batch; None when the batch was never started. Removes an incomplete file. */
  def get(batch: Long): Option[WriteRecord] = file(batch).readReplaced() match {
    case Missing => None
    case Complete(text, node) =>
      Some(WriteRecord.fromJson(node).fold(problem => throw malformed(text, problem), identity))
    case Malformed(text, problem) => throw malformed(text, problem)
    case CutOff(_) =>
      logWarning(s"$path/$batch is incomplete, so nothing of its batch was sent")
      file(batch).delete()
      None
  }

  /** False when the batch already has an entry. */
  def record(batch: Long, record: WriteRecord): Boolean = file(batch).create(record.toJson)

  /** Replaces the entry of a batch that another run continues. */
  def replace(batch: Long, record: WriteRecord): Unit = file(batch).replace(record.toJson)

  def delete(batch: Long): Unit = file(batch).delete()

  /**
   * The batches whose entries go, so that as many are left as Spark keeps in its own logs. Only for a log whose entries
   * are all of batches that are done, except the last one. [[removedBefore]] knows from now on that entries are removed.
   */
  def startRemoval(): Seq[Long] = {
    val old = batches.dropRight(WriteLog.retained(spark) + 1)
    if (old.nonEmpty) marker.create(Json.mapper.createObjectNode().put("version", 1))
    old
  }

  /** The oldest batch with an entry, if this batch is before it and may have had an entry that is removed. */
  def removedBefore(batch: Long): Option[Long] = oldestKept.filter(_ > batch)

  private def file(batch: Long) = new CheckpointFile(new Path(folder, batch.toString), files)

  private def batches: Seq[Long] =
    try files.listStatus(folder).toSeq.flatMap(status => Try(status.getPath.getName.toLong).toOption).sorted
    catch { case _: java.io.FileNotFoundException => Nil }

  private def malformed(text: String, problem: String) = ExactlyOnceErrors.malformedLog(path, text, problem)
}

private[eventhubs] object WriteLog {

  /** The number of batches that Spark keeps in its own logs. */
  private def retained(spark: SparkSession): Int = spark.conf.get("spark.sql.streaming.minBatchesToRetain", "100").toInt
}
