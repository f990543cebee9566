package org.apache.spark.eventhubs.onejar

import org.scalatest.funsuite.AnyFunSuite

/**
 * A jar is built against one Spark and used on others. All that it takes from Spark is looked up in the class files of
 * older ones; `make compat` runs the tests on each.
 */
class OneJarSuite extends AnyFunSuite {

  /** Loaded by name, and only where Spark has the mode (4.1). */
  private def isRealTime(name: String) = name.startsWith("org/apache/spark/sql/eventhubs/realtime/")

  Seq("spark-4.0" -> false, "spark-4.1" -> true).foreach { case (spark, hasRealTimeMode) =>
    test(
      s"every class, method and field that the jar takes from Spark is there in $spark, and nothing is left unimplemented"
    ) {
      val classes = ClassFiles.ofTests(spark)
      try {
        val links = new SparkLinks(classes)
        assert(classes.own.size > 200)
        assert(classes.own.filter(node => hasRealTimeMode || !isRealTime(node.name)).flatMap(links.missing) == Nil)
      } finally classes.close()
    }
  }

  test("the jar for Spark 3.5 is built against 3.5.8, and all that it takes from Spark is there in 3.5.0") {
    val classes = ClassFiles.ofTests("spark-3.5", "connector.classes-3.5")
    try {
      assert(classes.own.size > 200 && !classes.own.exists(node => isRealTime(node.name)))
      assert(classes.own.flatMap(new SparkLinks(classes).missing) == Nil)
    } finally classes.close()
  }

  test("what Spark 4.0 has not is found") {
    val classes = ClassFiles.ofTests("spark-4.0")
    try {
      val found = classes.own.filter(node => isRealTime(node.name)).flatMap(new SparkLinks(classes).missing)
      assert(found.exists(_.contains("there is no org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode")))
    } finally classes.close()
  }
}
