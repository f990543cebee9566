package org.apache.spark.sql.eventhubs

import org.scalatest.{BeforeAndAfterAll, Suite}

import org.apache.spark.SparkContext

/** For suites that need another kind of Spark context than the shared one. A JVM has one: theirs ends with them. */
trait OwnSession extends BeforeAndAfterAll { this: Suite =>

  protected def stopActiveContext(): Unit = SparkContext.getActive.foreach(_.stop())

  override protected def afterAll(): Unit =
    try super.afterAll()
    finally stopActiveContext()
}
