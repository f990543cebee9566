package org.apache.spark.eventhubs

import org.apache.spark.SparkThrowable

/** Spark's contract of an exception with a condition, which has fewer methods in Spark 3.5. */
private[eventhubs] trait ConditionThrowable extends SparkThrowable
