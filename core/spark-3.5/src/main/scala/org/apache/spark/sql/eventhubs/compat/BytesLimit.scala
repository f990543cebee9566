package org.apache.spark.sql.eventhubs.compat

import org.apache.spark.sql.connector.read.streaming.ReadLimit

/** A read limit in bytes, which Spark has since 4.0. Spark 3.5 passes any limit back unchanged. */
private[eventhubs] final case class BytesLimit(bytes: Long) extends ReadLimit
