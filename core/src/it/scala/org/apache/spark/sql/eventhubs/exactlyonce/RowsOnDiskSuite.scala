package org.apache.spark.sql.eventhubs.exactlyonce

import java.io.File
import java.nio.file.Files

import org.apache.spark.sql.eventhubs.TestSpark
import org.apache.spark.{SparkEnv, TaskContext}
import testkit.TestSuite

class RowsOnDiskSuite extends TestSuite with TestSpark {

  private def files(): Set[File] = SparkEnv.get.blockManager.diskBlockManager.getAllFiles().toSet

  /** The rows that a task with `count` rows gets back when it reads at most `limit`. */
  private def stored(count: Int, limit: Int): Seq[String] =
    spark.range(0, count.toLong, 1, numPartitions = 1).selectExpr("concat('row ', id)").queryExecution.toRdd
      .mapPartitions { rows =>
        val store = new RowsOnDisk(TaskContext.get())
        rows.foreach(store.add)
        store.all().take(limit).map(_.getUTF8String(0).toString)
      }
      .collect().toSeq

  test("rows are read in their order, although Spark uses the same object for each") {
    assert(stored(count = 1000, limit = 1000) == (0 until 1000).map(n => s"row $n"))
  }

  test("without rows there is no file, and a task that stops early leaves none") {
    stored(count = 1, limit = 1)
    val before = files()
    assert(stored(count = 0, limit = 1).isEmpty && stored(count = 1000, limit = 3).length == 3)
    assert((files() -- before).filter(file =>
      Files.exists(file.toPath) && file.getName.startsWith("temp_local")
    ).isEmpty)
  }
}
