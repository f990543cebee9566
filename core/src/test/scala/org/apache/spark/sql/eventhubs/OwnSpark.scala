package org.apache.spark.sql.eventhubs

import org.apache.spark.SparkContext

/**
 * A JVM has one Spark context, which suites share. A suite that needs another one stops it, and the next suite creates
 * its own.
 */
object OwnSpark {
  def endOthers(): Unit = SparkContext.getActive.foreach(_.stop())
}
