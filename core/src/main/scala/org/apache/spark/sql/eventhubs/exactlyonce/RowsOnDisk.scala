package org.apache.spark.sql.eventhubs.exactlyonce

import java.io.{BufferedInputStream, BufferedOutputStream, Closeable}
import java.nio.file.Files

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.{SparkEnv, TaskContext}

/**
 * Stores rows on a local disk of Spark, encrypted where Spark encrypts what it spills. The file is created with the
 * first row, and deleted at the end of the task.
 */
private[eventhubs] final class RowsOnDisk(context: TaskContext) extends RowStore {

  private val env = SparkEnv.get
  private lazy val (block, file) = {
    val (block, file) = env.blockManager.diskBlockManager.createTempLocalBlock()
    context.addTaskCompletionListener[Unit] { _ =>
      // A full disk refuses what is left in the buffer.
      try close()
      finally {
        Files.deleteIfExists(file.toPath)
        ()
      }
    }
    (block, file.toPath)
  }
  private lazy val out = {
    val bytes = env.serializerManager.wrapStream(block, new BufferedOutputStream(Files.newOutputStream(file)))
    val rows = env.serializer.newInstance().serializeStream(bytes)
    open = Some(rows)
    rows
  }
  private var open = Option.empty[Closeable]
  private var count = 0L

  override def add(row: InternalRow): Unit = {
    // A copy, because Java's serializer writes an object that it has met before as a reference.
    out.writeObject[InternalRow](row.copy())
    count += 1
  }

  override def all(): Iterator[InternalRow] =
    if (count == 0) Iterator.empty
    else {
      close()
      val bytes = env.serializerManager.wrapStream(block, new BufferedInputStream(Files.newInputStream(file)))
      val rows = env.serializer.newInstance().deserializeStream(bytes)
      open = Some(rows)
      rows.asIterator.asInstanceOf[Iterator[InternalRow]]
    }

  /** Once for each stream: some codecs refuse a second time. */
  private def close(): Unit = {
    val closing = open
    open = None
    closing.foreach(_.close())
  }
}
