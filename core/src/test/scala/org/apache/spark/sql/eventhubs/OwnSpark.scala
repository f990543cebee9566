package org.apache.spark.sql.eventhubs

import org.apache.spark.SparkContext

/** A JVM has one Spark context, which suites share; one that needs another kind ends it, and the next suite makes its own. */
object OwnSpark {
  def endOthers(): Unit = SparkContext.getActive.foreach(_.stop())
}
