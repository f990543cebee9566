package org.apache.spark.sql.eventhubs.sink

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/**
 * Identifies one batch of one writer. Every attempt of the batch has the same identity.
 *
 * @param writer  the streaming query's id, or the user's id of a sequence of batch writes
 * @param version the batch id, or the user's version
 */
private[eventhubs] final case class WriteIdentity(writer: String, version: Long) {

  /** The hash of the identity in the stamps of its events. */
  val tag: Long = {
    val bytes = s"$writer/$version".getBytes(UTF_8)
    XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length, WriteIdentity.Seed)
  }

  /**
   * The identity in the stamps of a batch that `query` has started. It differs from this one after a lost checkpoint
   * file `metadata`, for which Spark makes a new query id.
   */
  def continued(query: Option[String]): WriteIdentity =
    if (isOfQuery) query.fold(this)(WriteIdentity.ofQuery(_, version)) else this

  /** Whether it is of a streaming query, whose id is unique. Equal ids of batch writes to two hubs are two writes. */
  def isOfQuery: Boolean = writer.startsWith(WriteIdentity.Query)

  override def toString: String = s"batch $version of $writer"
}

private[eventhubs] object WriteIdentity {

  /** Spark's local property with the id of the streaming query that runs in the thread. */
  val QueryIdProperty = "sql.streaming.queryId"

  /** Spark's local property with the id of the micro-batch. */
  val BatchIdProperty = "streaming.sql.batchId"

  private val Query = "query "
  private val Seed = 0x27d4eb2f165667c5L

  def ofQuery(queryId: String, batchId: Long): WriteIdentity = WriteIdentity(s"$Query$queryId", batchId)

  def ofBatchWrite(id: String, version: Long): WriteIdentity = WriteIdentity(s"write '$id'", version)
}
