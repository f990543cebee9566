package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager.CancellableFSDataOutputStream
import org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager

/** Spark's own manager of log files, which lets something happen just before a file is written. */
class InterferingFileManager(path: Path, conf: Configuration)
    extends FileSystemBasedCheckpointFileManager(path, conf) {

  override def createAtomic(path: Path, overwriteIfPossible: Boolean): CancellableFSDataOutputStream = {
    InterferingFileManager.reached(path)
    super.createAtomic(path, overwriteIfPossible)
  }
}

/** In an object, because Spark makes the managers. */
object InterferingFileManager {

  val Option = "spark.sql.streaming.checkpointFileManagerClass"

  private var waiting = scala.Option.empty[(String, () => Unit)]

  /** Does it once, before the first file whose path ends so. */
  def beforeWriting(pathEnd: String)(action: => Unit): Unit = synchronized {
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
