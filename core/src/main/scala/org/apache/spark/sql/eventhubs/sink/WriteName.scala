package org.apache.spark.sql.eventhubs.sink

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/**
 * One batch of one writer, the same each time it is tried.
 *
 * @param writer  the streaming query's id, or what the user calls a sequence of batch writes
 * @param version the batch id, or the user's number
 */
private[eventhubs] final case class WriteName(writer: String, version: Long) {

  /** What its events carry of it. */
  val tag: Long = {
    val bytes = s"$writer/$version".getBytes(UTF_8)
    XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length, WriteName.Seed)
  }

  override def toString: String = s"batch $version of $writer"
}

private[eventhubs] object WriteName {

  /** Spark's local property with the id of the streaming query that runs in a thread. */
  val QueryIdProperty = "sql.streaming.queryId"

  private val Seed = 0x27d4eb2f165667c5L

  def ofQuery(queryId: String, batchId: Long): WriteName = WriteName(s"query $queryId", batchId)

  def ofBatchWrite(id: String, version: Long): WriteName = WriteName(s"write '$id'", version)
}
