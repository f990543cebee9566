package org.apache.spark.sql.eventhubs.compat

import org.apache.spark.sql.connector.read.streaming.ReadLimit

/** A limit in bytes, which Spark has from 4.0 on. The engine hands limits back as they are, whatever their class. */
private[eventhubs] final case class BytesLimit(bytes: Long) extends ReadLimit
