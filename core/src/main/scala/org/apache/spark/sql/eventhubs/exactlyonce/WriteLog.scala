package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.sql.eventhubs.compat.SparkInternals

import java.io.OutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, StandardOpenOption}

import scala.util.Try

import org.apache.hadoop.fs._

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession

/**
 * One small file for each batch, written before it is sent and never over another. It counts once its last line is there:
 * a file without one was not finished, so that nothing of its batch was sent.
 *
 * Spark's own logs write a file and rename it. On a local disk Hadoop starts a dozen processes for that; on an object store
 * it is a copy.
 *
 * @param path folder; made with its first file
 */
private[eventhubs] final class WriteLog(spark: SparkSession, val path: String) extends Logging {

  private val folder = new Path(path)
  private val retained = WriteLog.retained(spark)

  private val files = folder.getFileSystem(SparkInternals.hadoopConf(spark)) match {
    // Its own checksums are a second file, which may be missing a part when the first one is whole.
    case checked: ChecksumFileSystem => checked.getRawFileSystem
    case other => other
  }

  /** Where the hub ended before the batch; None when it was never begun. What was not finished is removed. */
  def get(batch: Long): Option[HubPositions] = read(file(batch)).flatMap { text =>
    val found = WriteLogFile.parse(text, problem => EventHubsErrors.malformedWriteLog(path, text, problem))
    if (found.isEmpty) {
      logWarning(s"$path/$batch was not finished, so nothing of its batch was sent")
      files.delete(file(batch), false)
    }
    found
  }

  /** False when the batch has an entry already. Now and then removes entries that no restart can ask for. */
  def record(batch: Long, positions: HubPositions): Boolean = {
    val added = create(file(batch), WriteLogFile.text(positions).getBytes(UTF_8))
    // Each time would list the folder each time.
    if (batch % 10 == 0) batches.filter(_ < batch - retained).foreach(old => files.delete(file(old), false))
    added
  }

  /** The last batch that has an entry. */
  def latest: Option[Long] = batches.maxOption

  private def file(batch: Long) = new Path(folder, batch.toString)

  private def batches: Seq[Long] =
    try files.listStatus(folder).toSeq.flatMap(status => Try(status.getPath.getName.toLong).toOption)
    catch { case _: java.io.FileNotFoundException => Nil }

  private def read(file: Path): Option[String] =
    try {
      val in = files.open(file)
      try Some(new String(in.readAllBytes(), UTF_8))
      finally in.close()
    } catch { case _: java.io.FileNotFoundException => None }

  /** False when there is one. */
  private def create(file: Path, bytes: Array[Byte]): Boolean =
    try {
      val out = newFile(file)
      try out.write(bytes)
      finally out.close()
      true
    } catch { case _: FileAlreadyExistsException | _: java.nio.file.FileAlreadyExistsException => false }

  private def newFile(file: Path): OutputStream = files match {
    // Hadoop's own starts a process for the new file's permissions, and looks first and creates then, so that two may.
    case local if local.getClass == classOf[RawLocalFileSystem] =>
      val path = local.asInstanceOf[RawLocalFileSystem].pathToFile(file).toPath
      // A link to a folder is one, which createDirectories denies.
      if (!Files.isDirectory(path.getParent)) Files.createDirectories(path.getParent)
      Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
    case other => other.create(file, false)
  }
}

private[eventhubs] object WriteLog {

  /** As many batches as Spark keeps of its own logs. */
  def retained(spark: SparkSession): Long = spark.conf.get("spark.sql.streaming.minBatchesToRetain", "100").toLong
}
