package org.apache.spark.eventhubs

import org.apache.spark.SparkThrowable

/** Spark's interface of an exception with a condition, plus the method that Spark 4 adds. */
private[eventhubs] trait ConditionThrowable extends SparkThrowable {

  /** Spark 3.5 calls it the error class. */
  def getCondition: String
}
