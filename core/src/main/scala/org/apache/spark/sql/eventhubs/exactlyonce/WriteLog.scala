package org.apache.spark.sql.eventhubs.exactlyonce

import java.io.{InputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.ConcurrentModificationException

import scala.annotation.nowarn

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.HDFSMetadataLog

/**
 * One file for each batch, in Spark's own form of a log: written whole or not at all, never over another. Each says where
 * the hub's partitions ended before the batch was sent.
 */
@nowarn("cat=deprecation")
private[eventhubs] final class WriteLog(spark: SparkSession, val path: String)
    extends HDFSMetadataLog[HubPositions](spark, path) {

  private val retained = WriteLog.retained(spark)

  /** False when the batch has an entry already. Now and then removes entries that no restart can ask for. */
  def record(batch: Long, positions: HubPositions): Boolean = {
    val added =
      try add(batch, positions)
      // Spark's way of saying that the entry came between its own look and its writing.
      catch { case _: ConcurrentModificationException => false }
    // Each time would list the folder each time.
    if (batch % 10 == 0) purge(batch - retained)
    added
  }

  override protected def serialize(positions: HubPositions, out: OutputStream): Unit =
    out.write(s"${WriteLog.Version}\n${positions.json}".getBytes(UTF_8))

  override protected def deserialize(in: InputStream): HubPositions = {
    val text = new String(in.readAllBytes(), UTF_8)
    val (version, rest) = text.splitAt(text.indexOf('\n') + 1)
    if (version.trim != WriteLog.Version) throw malformed(text, s"its first line is not ${WriteLog.Version}")
    HubPositions.parse(rest).getOrElse(throw malformed(text, "its second line is not the JSON of positions"))
  }

  private def malformed(text: String, problem: String) = EventHubsErrors.malformedWriteLog(path, text, problem)
}

private[eventhubs] object WriteLog {
  private val Version = "v1"

  /** As many batches as Spark keeps of its own logs. */
  def retained(spark: SparkSession): Long = spark.conf.get("spark.sql.streaming.minBatchesToRetain", "100").toLong
}
