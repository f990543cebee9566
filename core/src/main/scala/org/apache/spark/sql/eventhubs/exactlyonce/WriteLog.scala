package org.apache.spark.sql.eventhubs.exactlyonce

import scala.util.Try

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.fs.Path

import org.apache.spark.eventhubs.Json
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.compat.SparkInternals
import org.apache.spark.sql.eventhubs.planning.CheckpointFile
import org.apache.spark.sql.eventhubs.planning.CheckpointFile._

/**
 * One [[CheckpointFile]] for each batch, written before the batch is sent and never overwritten. An incomplete file
 * does not count: its writer was stopped, so nothing of its batch was sent. The caller removes entries of batches that
 * are done, and no others.
 *
 * @param path folder; created with its first file
 */
private[eventhubs] final class WriteLog(spark: SparkSession, val path: String) extends Logging {

  private val folder = new Path(path)
  private val files = CheckpointFile.fileSystem(folder, SparkInternals.hadoopConf(spark))

  /** The highest batch whose entry was removed. Asked for once: a log removes only batches before the one it writes. */
  private lazy val removedUntil: Option[Long] = numbered(WriteLog.Removed).lastOption

  /** The record of a batch; None when the batch was never started. Removes an incomplete file. */
  def get(batch: Long): Option[WriteRecord] = file(batch.toString).read() match {
    case Missing => None
    case Complete(text, node) =>
      Some(WriteRecord.fromJson(node).fold(problem => throw malformed(text, problem), identity))
    case Malformed(text, problem) => throw malformed(text, problem)
    case CutOff(_) =>
      logWarning(s"$path/$batch is incomplete, so nothing of its batch was sent")
      file(batch.toString).delete()
      None
  }

  /** False when the batch already has an entry. */
  def record(batch: Long, record: WriteRecord): Boolean = file(batch.toString).create(record.toJson)

  /** Makes `run` the one that continues a batch with a record. False when another run does so at this moment. */
  def takeOver(batch: Long, run: String): Boolean =
    takeover(batch, numbered(s"$batch.").lastOption.getOrElse(0L) + 1).create(newNode.put("run", run))

  /** The record of a batch, if no other run has begun it or taken it over since `run` did. */
  def owned(batch: Long, run: String): Option[WriteRecord] = get(batch).filter { record =>
    val owner = numbered(s"$batch.").lastOption.map(takeover(batch, _).read()) match {
      case None => record.run
      case Some(Complete(_, node)) => Option(node.get("run")).map(_.asText)
      case Some(_) => None
    }
    owner.contains(run)
  }

  /**
   * The batches whose entries go, so that as many are left as Spark keeps in its own logs. Only for a log whose entries
   * are of batches that are done. [[removedSince]] knows from now on that entries are removed.
   *
   * @param last the batch that was done just now; it stays, whatever its number is
   */
  def startRemoval(last: Long): Seq[Long] = {
    val old = numbered("").dropRight(WriteLog.retained(spark) + 1).filterNot(_ == last)
    old.lastOption.foreach { until =>
      val before = numbered(WriteLog.Removed)
      // A file for each number: at every moment the highest one is there.
      if (before.forall(_ < until)) file(s"${WriteLog.Removed}$until").create(newNode)
      before.filter(_ < until).foreach(number => file(s"${WriteLog.Removed}$number").delete())
    }
    old
  }

  /** Removes the entries of batches, and what belongs to them. */
  def remove(batches: Seq[Long]): Unit = if (batches.nonEmpty) {
    val old = batches.map(_.toString).toSet
    names.filter(name => old(name.takeWhile(_ != '.'))).foreach(file(_).delete())
  }

  /** The highest batch whose entry was removed, if it is not before this one: this one may have had an entry. */
  def removedSince(batch: Long): Option[Long] = removedUntil.filter(_ >= batch)

  private def takeover(batch: Long, number: Long) = file(s"$batch.$number")

  private def file(name: String) = new CheckpointFile(new Path(folder, name), files)

  private def newNode: ObjectNode = Json.mapper.createObjectNode().put("version", 1)

  /** The numbers after `prefix` in the names of files, in ascending order. */
  private def numbered(prefix: String): Seq[Long] =
    names.filter(_.startsWith(prefix)).flatMap(name => Try(name.drop(prefix.length).toLong).toOption).sorted

  private def names: Seq[String] =
    try files.listStatus(folder).toSeq.map(_.getPath.getName)
    catch { case _: java.io.FileNotFoundException => Nil }

  private def malformed(text: String, problem: String) = ExactlyOnceErrors.malformedLog(path, text, problem)
}

private[eventhubs] object WriteLog {

  private val Removed = "removed."

  /** The number of batches that Spark keeps in its own logs. */
  private def retained(spark: SparkSession): Int = spark.conf.get("spark.sql.streaming.minBatchesToRetain", "100").toInt
}
