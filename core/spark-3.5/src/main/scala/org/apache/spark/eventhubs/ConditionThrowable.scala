package org.apache.spark.eventhubs

import org.apache.spark.SparkThrowable

/** Spark's contract of an exception with a condition, and what Spark 4 adds to it. */
private[eventhubs] trait ConditionThrowable extends SparkThrowable {

  /** Spark 3.5 calls it the error class. */
  def getCondition: String
}
