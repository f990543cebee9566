package org.apache.spark.sql.eventhubs.sim

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, FileNotFoundException}
import java.net.URI

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

import org.apache.spark.eventhubs.sim.World

/**
 * The checkpoint folder of one run, in memory. Each call is a step, so a crash may come between the calls, and in the
 * middle of a write, which then leaves a part of the content.
 */
private[sim] final class MemoryFiles extends FileSystem {

  private var world: World = _
  private val files = mutable.HashMap.empty[Path, Array[Byte]]

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    setConf(conf)
    world = MemoryFiles.world.get
  }

  override def getUri: URI = URI.create("sim:///")

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    world.step()
    val content = files.getOrElse(path, throw new FileNotFoundException(path.toString))
    new FSDataInputStream(new MemoryFiles.Content(content))
  }

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = {
    world.step()
    if (files.contains(path) && !overwrite) throw new FileAlreadyExistsException(path.toString)
    files(path) = Array.empty
    val content = new ByteArrayOutputStream {
      override def close(): Unit = {
        val whole = toByteArray
        files(path) = whole.take(world.between(0, whole.length.toLong).toInt)
        world.step()
        files(path) = whole
      }
    }
    new FSDataOutputStream(content, null)
  }

  override def rename(from: Path, to: Path): Boolean = {
    world.step()
    val moved = !files.contains(to) && files.contains(from)
    if (moved) files(to) = files.remove(from).get
    moved
  }

  override def delete(path: Path, recursive: Boolean): Boolean = {
    world.step()
    files.remove(path).nonEmpty
  }

  override def getFileStatus(path: Path): FileStatus = {
    world.step()
    val content = files.getOrElse(path, throw new FileNotFoundException(path.toString))
    new FileStatus(content.length.toLong, false, 1, 1L, 0L, path)
  }

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream = unused
  override def listStatus(path: Path): Array[FileStatus] = unused
  override def mkdirs(path: Path, permission: FsPermission): Boolean = true
  override def setWorkingDirectory(path: Path): Unit = ()
  override def getWorkingDirectory: Path = new Path("sim:///")

  private def unused: Nothing = throw new UnsupportedOperationException("the connector does not use it")
}

private object MemoryFiles {

  /** Hadoop creates the file system. */
  private val world = new ThreadLocal[World]

  /** The configuration of a query whose checkpoint is at `sim:///`, in a new folder. */
  def conf(of: World): Configuration = {
    world.set(of)
    val conf = new Configuration(false)
    val files = new MemoryFiles
    files.initialize(URI.create("sim:///"), conf)
    current.set(files)
    conf.set("fs.sim.impl", classOf[SameFiles].getName)
    conf.set("fs.sim.impl.disable.cache", "true")
    conf
  }

  val current = new ThreadLocal[MemoryFiles]

  private final class Content(bytes: Array[Byte])
      extends ByteArrayInputStream(bytes)
      with Seekable
      with PositionedReadable {
    override def seek(to: Long): Unit = pos = to.toInt
    override def getPos: Long = pos.toLong
    override def seekToNewSource(to: Long): Boolean = false
    override def read(at: Long, buffer: Array[Byte], offset: Int, length: Int): Int = unread
    override def readFully(at: Long, buffer: Array[Byte], offset: Int, length: Int): Unit = unread
    override def readFully(at: Long, buffer: Array[Byte]): Unit = unread
    private def unread: Nothing = throw new UnsupportedOperationException("the connector does not use it")
  }
}

/** What Hadoop creates for each use of the scheme: a view of the run's one folder. */
private[sim] final class SameFiles extends FilterFileSystem(MemoryFiles.current.get) {
  override def initialize(name: URI, conf: Configuration): Unit = setConf(conf)
}
