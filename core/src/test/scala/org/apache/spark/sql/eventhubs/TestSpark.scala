package org.apache.spark.sql.eventhubs

import java.nio.file.{Files, Path}

import org.scalatest.{BeforeAndAfterAll, Suite}

import org.apache.spark.sql.SparkSession

/** The session of this JVM, shared by suites. A failed task is retried once, as on a cluster. */
trait TestSpark extends BeforeAndAfterAll { this: Suite =>

  protected lazy val spark: SparkSession = {
    val session = TestSpark.builder("local[2, 2]")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.sql.warehouse.dir", newFolder().toUri.toString)
      .getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session
  }

  protected def newFolder(): Path = Files.createTempDirectory("eventhubs-read")
}

object TestSpark {

  /** On this machine only. */
  private def builder(master: String): SparkSession.Builder =
    SparkSession
      .builder()
      .master(master)
      .config("spark.ui.enabled", "false")
      .config("spark.driver.host", "localhost")
      .config("spark.driver.bindAddress", "127.0.0.1")

  /** The session of a program that a test starts in a JVM of its own. */
  def ofProgram(): SparkSession = {
    val session = builder("local[2]").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session
  }
}

/** Files that the legacy connector wrote. */
object LegacyFiles {

  def text(name: String): String = Files.readString(path(name))

  def path(name: String): Path = Path.of(getClass.getResource(s"/legacy/$name").toURI)
}
