package org.apache.spark.eventhubs.credentials

import java.nio.file.{Files, Path, Paths}

import scala.util.Try

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.{SparkContext, SparkEnv, SparkFiles}

/** What of this machine a credential is read from. The driver and each executor read their own. */
private[eventhubs] object Machine {

  /** Names this machine as texts do after "on". */
  def name: String = Option(SparkEnv.get).map(_.executorId) match {
    case Some(SparkContext.DRIVER_IDENTIFIER) => "the driver"
    case Some(id) => s"executor $id"
    case None => "this machine"
  }

  /**
   * A relative path is a file of the working directory, where YARN puts `--files`, else one that Spark has distributed
   * itself (`--files` elsewhere, `SparkContext.addFile`).
   */
  def file(path: String): Path = {
    val written = Paths.get(path)
    val isHere = written.isAbsolute || Files.isRegularFile(written) || Option(SparkEnv.get).isEmpty
    if (isHere) written else Paths.get(SparkFiles.get(path))
  }

  /** @throws EventHubsException EVENTHUBS_INVALID_OPTION if this machine does not have the file of this option */
  def checkFile(key: String, path: String): Unit =
    read(path).left.foreach(expected => throw EventHubsErrors.invalidOption(key, path, expected))

  /** The file's content, or what was expected of the path. */
  def read(path: String): Either[String, Array[Byte]] = Try(Files.readAllBytes(file(path))).toEither.left.map { _ =>
    s"a file that $name can read; it must be on the driver and on every executor"
  }
}
