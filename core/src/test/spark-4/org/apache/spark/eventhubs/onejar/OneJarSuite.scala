package org.apache.spark.eventhubs.onejar

import testkit.TestSuite

/**
 * The jar is built against one Spark version and runs on others. This suite looks up every Spark class and member that
 * the jar uses in the class files of older versions. `make compat` runs the tests on each version.
 */
class OneJarSuite extends TestSuite {

  /** These classes are loaded by name, only if Spark has real-time mode (4.1). */
  private def isRealTime(name: String) = name.startsWith("org/apache/spark/sql/eventhubs/realtime/")

  Seq("spark-4.0" -> false, "spark-4.1" -> true).foreach { case (spark, hasRealTimeMode) =>
    test(
      s"$spark has every class, method and field that the jar uses, and no abstract method is unimplemented"
    ) {
      val classes = ClassFiles.ofTests(spark)
      try {
        val links = new SparkLinks(classes)
        assert(classes.own.size > 200)
        assert(classes.own.filter(node => hasRealTimeMode || !isRealTime(node.name)).flatMap(links.missing) == Nil)
      } finally classes.close()
    }
  }

  test("Spark 3.5.0 has every class, method and field that the jar built against 3.5.8 uses") {
    val classes = ClassFiles.ofTests("spark-3.5", "connector.classes-3.5")
    try {
      assert(classes.own.size > 200 && !classes.own.exists(node => isRealTime(node.name)))
      assert(classes.own.flatMap(new SparkLinks(classes).missing) == Nil)
    } finally classes.close()
  }

  test("a class that Spark 4.0 lacks is reported") {
    val classes = ClassFiles.ofTests("spark-4.0")
    try {
      val found = classes.own.filter(node => isRealTime(node.name)).flatMap(new SparkLinks(classes).missing)
      assert(found.exists(_.contains("there is no org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode")))
    } finally classes.close()
  }
}
