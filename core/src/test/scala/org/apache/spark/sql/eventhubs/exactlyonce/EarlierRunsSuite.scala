package org.apache.spark.sql.eventhubs.exactlyonce

import java.time.Duration

import org.apache.spark.sql.eventhubs.TestSpark
import testkit.TestSuite

class EarlierRunsSuite extends TestSuite with TestSpark {

  test("a stopped context ends the wait with Spark's error, which says so") {
    val sc = spark.sparkContext
    val runs = new EarlierRuns(sc, "batch 1")
    runs.awaitEnd(Duration.ZERO)
    spark.stop()
    val stopped = intercept[IllegalStateException](runs.awaitEnd(Duration.ZERO))
    assert(stopped.getMessage.contains("stopped SparkContext"))
  }
}
