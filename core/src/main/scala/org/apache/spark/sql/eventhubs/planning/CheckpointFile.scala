package org.apache.spark.sql.eventhubs.planning

import java.io.{FileNotFoundException, IOException, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileSystemException, Files, NoSuchFileException, Path => LocalPath, StandardOpenOption}
import java.util.UUID

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumFileSystem, FileAlreadyExistsException, FileSystem, Path, RawLocalFileSystem}

import org.apache.spark.eventhubs.Json

/**
 * A small file of a checkpoint with one JSON object. A reader recognises a file whose writer was stopped halfway,
 * because an object without its end is not valid JSON.
 *
 * A new file is created in place. Spark's own logs write a temporary file and rename it: on a local disk Hadoop starts
 * a dozen processes for that, and on an object store a rename is a copy.
 *
 * @param files from [[CheckpointFile.fileSystem]]
 */
private[eventhubs] final class CheckpointFile(val path: Path, files: FileSystem) {

  import CheckpointFile._

  private val draft = new Path(path.getParent, s".${path.getName}.tmp")

  def read(): Content = read(path)

  /** Reads a file that [[replace]] writes, and finishes a replacement that was interrupted. */
  def readReplaced(): Content = read() match {
    case Missing => recoverDraft()
    case found => found
  }

  /** Writes a file that does not exist yet. If it exists, writes nothing and returns false. */
  def create(content: ObjectNode): Boolean =
    try {
      localPath(path).fold(write(files.create(path, false), content))(createWhole(_, content))
      true
    } catch { case _: FileAlreadyExistsException | _: java.nio.file.FileAlreadyExistsException => false }

  /**
   * Writes a draft, then moves it to the file's place: a reader of [[readReplaced]] sees the old or the new content.
   */
  def replace(content: ObjectNode): Unit = {
    write(localPath(draft).fold[OutputStream](files.create(draft, true))(Files.newOutputStream(_)), content)
    moveDraft()
  }

  def delete(): Unit = {
    files.delete(path, false)
    ()
  }

  /**
   * An incomplete draft was the first content of this file, and nothing depends on it. A complete draft may be the only
   * copy, and the next [[replace]] overwrites the draft, so it is moved now.
   */
  private def recoverDraft(): Content = read(draft) match {
    case complete: Complete =>
      moveDraft()
      complete
    case _ => Missing
  }

  private def moveDraft(): Unit = {
    files.delete(path, false)
    if (!files.rename(draft, path)) throw new IOException(s"$draft cannot be renamed to $path")
  }

  private def read(file: Path): Content =
    try {
      val in = files.open(file)
      val text =
        try new String(in.readAllBytes(), UTF_8)
        finally in.close()
      parse(text)
    } catch { case _: FileNotFoundException | _: NoSuchFileException => Missing }

  /**
   * Gives the file its name when it has its content. A reader that finds it empty would take its writer for a stopped
   * one, and remove it.
   */
  private def createWhole(target: LocalPath, content: ObjectNode): Unit = {
    val whole = target.resolveSibling(s".${path.getName}.${UUID.randomUUID()}.tmp")
    try {
      write(Files.newOutputStream(whole), content)
      Files.createLink(target, whole)
      ()
    } catch {
      case exists: java.nio.file.FileAlreadyExistsException => throw exists
      // Not every file system has links.
      case _: UnsupportedOperationException | _: FileSystemException =>
        write(Files.newOutputStream(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), content)
    } finally {
      Files.deleteIfExists(whole)
      ()
    }
  }

  private def write(out: OutputStream, content: ObjectNode): Unit =
    try out.write(content.toString.getBytes(UTF_8))
    finally out.close()

  /**
   * The file on a local disk; its folder exists then. Hadoop starts a process to set permissions. It also checks and
   * then creates, so that two writers may both succeed.
   */
  private def localPath(file: Path): Option[LocalPath] = files match {
    case disk: RawLocalFileSystem if disk.getClass == classOf[RawLocalFileSystem] =>
      val local = disk.pathToFile(file).toPath
      // createDirectories fails for a symbolic link to a folder.
      if (!Files.isDirectory(local.getParent)) Files.createDirectories(local.getParent)
      Some(local)
    case _ => None
  }
}

private[eventhubs] object CheckpointFile {

  /**
   * The file system of the files below `folder`, without Hadoop's checksums: they are in a second file, which a stopped
   * writer may leave incomplete although the first is complete.
   */
  def fileSystem(folder: Path, hadoopConf: Configuration): FileSystem = folder.getFileSystem(hadoopConf) match {
    case checked: ChecksumFileSystem => checked.getRawFileSystem
    case other => other
  }

  sealed trait Content
  case object Missing extends Content

  /** The beginning of an object: its writer was stopped. */
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
