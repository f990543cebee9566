package org.apache.spark.sql.connector.read.streaming

/** Of Spark 4.1, as a vendor's Spark 3.5 may have it. */
trait SupportsRealTimeMode
