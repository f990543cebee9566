package org.apache.spark.eventhubs

import org.apache.spark.SparkThrowable

/** Spark's interface of an exception with a condition. In Spark 3.5 it has fewer methods. */
private[eventhubs] trait ConditionThrowable extends SparkThrowable
