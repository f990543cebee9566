package org.apache.spark.sql.eventhubs.sink

import java.nio.file.{Files, Path}

import org.scalatest.{BeforeAndAfterAll, Suite}

import org.apache.spark.eventhubs.connection.WriteHubFixture
import org.apache.spark.sql.SparkSession

/** A Spark session and the local hub. */
trait WriteSparkFixture extends WriteHubFixture with BeforeAndAfterAll { this: Suite =>

  protected lazy val spark: SparkSession = SparkSession
    .builder()
    // Two attempts for each task.
    .master("local[2, 2]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "localhost")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()

  override protected def afterAll(): Unit = {
    spark.stop()
    super.afterAll()
  }

  protected def newFolder(): Path = Files.createTempDirectory("eventhubs-write")
}
