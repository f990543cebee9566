package org.apache.spark.sql.eventhubs

import java.net.URI

import org.apache.hadoop.fs.{FSDataOutputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.util.Progressable

/** The local disk under a scheme of its own, which runs an action just before a file is created. */
class InterferingFileSystem extends RawLocalFileSystem {

  override def getScheme: String = InterferingFileSystem.Scheme

  override def getUri: URI = URI.create(s"$getScheme:///")

  override def create(
      path: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = {
    InterferingFileSystem.reached(path)
    super.create(path, overwrite, bufferSize, replication, blockSize, progress)
  }
}

/** In an object, because Hadoop creates the file systems. */
object InterferingFileSystem {

  val Scheme = "interfering"
  val Option = s"fs.$Scheme.impl"

  private var waiting = scala.Option.empty[(String, () => Unit)]

  /** Runs `action` once, before the first file whose path has this end. */
  def beforeCreating(pathEnd: String)(action: => Unit): Unit = synchronized {
    waiting = Some(pathEnd -> (() => action))
  }

  private def reached(path: Path): Unit = {
    val action = synchronized {
      val found = waiting.filter { case (end, _) => path.toString.endsWith(end) }
      if (found.isDefined) waiting = None
      found
    }
    action.foreach { case (_, run) => run() }
  }
}
