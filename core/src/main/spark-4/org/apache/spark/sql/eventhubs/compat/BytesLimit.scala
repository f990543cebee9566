package org.apache.spark.sql.eventhubs.compat

import org.apache.spark.sql.connector.read.streaming.{ReadLimit, ReadMaxBytes}

/** Spark's read limit in bytes, which Spark 3.5 does not have. */
private[eventhubs] object BytesLimit {

  def apply(bytes: Long): ReadLimit = ReadLimit.maxBytes(bytes)

  def unapply(limit: ReadMaxBytes): Some[Long] = Some(limit.maxBytes())
}
