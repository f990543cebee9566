package org.apache.spark.sql.eventhubs.exactlyonce

import scala.util.Try

import org.apache.hadoop.fs.Path

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.compat.SparkInternals
import org.apache.spark.sql.eventhubs.planning.CheckpointFile
import org.apache.spark.sql.eventhubs.planning.CheckpointFile._

/**
 * One [[CheckpointFile]] for each batch, written before the batch is sent and never overwritten. An incomplete file
 * does not count: its writer was stopped, so nothing of its batch was sent.
 *
 * @param path folder; created with its first file
 */
private[eventhubs] final class WriteLog(spark: SparkSession, val path: String) extends Logging {

  private val folder = new Path(path)
  private val retained = WriteLog.retained(spark)
  private val files = CheckpointFile.fileSystem(folder, SparkInternals.hadoopConf(spark))

  /** The ends of its hubs before the batch; None when the batch was never started. Removes an incomplete file. */
  def get(batch: Long): Option[WriteRecord] = file(batch).read() match {
    case Missing => None
    case Complete(text, node) =>
      Some(WriteRecord.fromJson(node).fold(problem => throw malformed(text, problem), identity))
    case Malformed(text, problem) => throw malformed(text, problem)
    case CutOff(_) =>
      logWarning(s"$path/$batch is incomplete, so nothing of its batch was sent")
      file(batch).delete()
      None
  }

  /** False when the batch already has an entry. Every tenth batch removes entries that no restart can need. */
  def record(batch: Long, hubs: WriteRecord): Boolean = {
    val added = file(batch).create(hubs.toJson)
    // A listing of the folder for each batch would cost too much.
    if (batch % 10 == 0) batches.filter(_ < batch - retained).foreach(old => file(old).delete())
    added
  }

  /** The last batch that has an entry. */
  def latest: Option[Long] = batches.maxOption

  private def file(batch: Long) = new CheckpointFile(new Path(folder, batch.toString), files)

  private def batches: Seq[Long] =
    try files.listStatus(folder).toSeq.flatMap(status => Try(status.getPath.getName.toLong).toOption)
    catch { case _: java.io.FileNotFoundException => Nil }

  private def malformed(text: String, problem: String) = ExactlyOnceErrors.malformedLog(path, text, problem)
}

private[eventhubs] object WriteLog {

  /** The number of batches that Spark keeps in its own logs. */
  def retained(spark: SparkSession): Long = spark.conf.get("spark.sql.streaming.minBatchesToRetain", "100").toLong
}
