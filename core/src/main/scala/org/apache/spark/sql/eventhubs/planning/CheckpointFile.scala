package org.apache.spark.sql.eventhubs.planning

import java.io.OutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, StandardOpenOption}

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._

import org.apache.spark.eventhubs.Json

/**
 * A small file of a checkpoint, which holds one JSON object. An object that is cut off is not valid JSON, so a reader
 * recognises a file whose writer was stopped halfway.
 *
 * Spark's own logs write a file and rename it. On a local disk Hadoop starts a dozen processes for that; on an object
 * store it is a copy. So a new file is created in place.
 */
private[eventhubs] final class CheckpointFile(val path: Path, hadoopConf: Configuration) {

  import CheckpointFile._

  private val draft = new Path(path.getParent, s".${path.getName}.tmp")

  private val files = path.getFileSystem(hadoopConf) match {
    // Its checksums are a second file, which may be incomplete when the first one is complete.
    case checked: ChecksumFileSystem => checked.getRawFileSystem
    case other => other
  }

  def read(): Content = read(path)

  /** What an interrupted [[replace]] left: complete, or missing. */
  def readDraft(): Content = read(draft)

  /** Writes a file that does not exist yet. False, and nothing is written, where it exists. */
  def create(content: ObjectNode): Boolean =
    try {
      write(path, content, overwrite = false)
      true
    } catch { case _: FileAlreadyExistsException | _: java.nio.file.FileAlreadyExistsException => false }

  /** Writes a draft and renames it, which is atomic: a reader never sees half a file. */
  def replace(content: ObjectNode): Unit = {
    write(draft, content, overwrite = true)
    files.delete(path, false)
    files.rename(draft, path)
    ()
  }

  def delete(): Unit = {
    files.delete(path, false)
    ()
  }

  private def read(file: Path): Content =
    try {
      val in = files.open(file)
      val text =
        try new String(in.readAllBytes(), UTF_8)
        finally in.close()
      parse(text)
    } catch { case _: java.io.FileNotFoundException => Missing }

  private def write(file: Path, content: ObjectNode, overwrite: Boolean): Unit = {
    val out = newStream(file, overwrite)
    try out.write(content.toString.getBytes(UTF_8))
    finally out.close()
  }

  private def newStream(file: Path, overwrite: Boolean): OutputStream = files match {
    // Hadoop's own starts a process to set permissions, and checks before it creates, so that two writers may succeed.
    case local if local.getClass == classOf[RawLocalFileSystem] =>
      val path = local.asInstanceOf[RawLocalFileSystem].pathToFile(file).toPath
      // createDirectories refuses a link to a folder.
      if (!Files.isDirectory(path.getParent)) Files.createDirectories(path.getParent)
      val mode = if (overwrite) Seq(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)
      else Seq(StandardOpenOption.CREATE_NEW)
      Files.newOutputStream(path, mode :+ StandardOpenOption.WRITE: _*)
    case other => other.create(file, overwrite)
  }
}

private[eventhubs] object CheckpointFile {

  sealed trait Content
  case object Missing extends Content

  /** The writer was stopped before its last byte. */
  final case class CutOff(text: String) extends Content
  final case class Complete(text: String, node: ObjectNode) extends Content

  /** Neither an object nor the beginning of one. */
  final case class Malformed(text: String, problem: String) extends Content

  private def parse(text: String): Content = Json.read(text) match {
    case Right(node: ObjectNode) => Complete(text, node)
    case Right(_) => Malformed(text, "it is not a JSON object")
    case Left(_) if Json.isCutOff(text) => CutOff(text)
    case Left(problem) => Malformed(text, problem)
  }
}
