package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.{FileAlreadyExistsException, Files, Path}

import org.apache.spark.TaskContext
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/**
 * Keeps the first task that computes a row busy until [[release]], whatever Spark does to its thread: like a long
 * computation, it does not notice an interrupt. Works over files, so that the task may run in another process.
 */
final class HeldRow(folder: Path, row: Int) {

  private val (held, released, ended) =
    (folder.resolve("held").toString, folder.resolve("released").toString, folder.resolve("ended").toString)

  /** Returns its argument, after a long time for the row. */
  def function: Int => Int = {
    val (row, held, released, ended) = (this.row, this.held, this.released, this.ended)
    value => {
      if (value == row && HeldRow.isFirst(held)) HeldRow.keepBusy(released, ended)
      value
    }
  }

  /** The frame with its column `value` computed by [[function]]. */
  def compute(frame: DataFrame): DataFrame =
    frame.withColumn("value", udf(function).asNondeterministic()(col("value")))

  def isHeld: Boolean = Files.exists(Path.of(held))

  def release(): Unit = { val _ = HeldRow.isFirst(released) }

  /** Whether the task that was kept busy has ended. */
  def hasEnded: Boolean = Files.exists(Path.of(ended))
}

object HeldRow {

  private def isFirst(file: String): Boolean =
    try {
      Files.createFile(Path.of(file))
      true
    } catch { case _: FileAlreadyExistsException => false }

  private def keepBusy(until: String, ended: String): Unit = {
    TaskContext.get().addTaskCompletionListener[Unit] { _ =>
      val _ = isFirst(ended)
    }
    var wasInterrupted = false
    while (!Files.exists(Path.of(until)))
      try Thread.sleep(5)
      catch { case _: InterruptedException => wasInterrupted = true }
    if (wasInterrupted) Thread.currentThread.interrupt()
  }
}
