package org.apache.spark.sql.eventhubs.planning

import java.io.{InputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8

import scala.annotation.nowarn

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.execution.streaming.HDFSMetadataLog

/** The first offset of a stream or of one of its hubs. It is stored before it is used. */
private[eventhubs] trait InitialOffsets {

  /** The stored offset. If there is none, stores and returns the result of `resolve`. */
  def getOrElseAdd(resolve: => EventHubsSourceOffset): EventHubsSourceOffset
}

/**
 * The first offset of a stream: entry 0 of the source's metadata path, written before the offset is used, because
 * "latest" must not move when a query restarts. The format is the legacy connector's: a zero byte (for Spark 2.1),
 * `v1`, a line end, and the offset as JSON.
 */
@nowarn("cat=deprecation")
private[eventhubs] final class InitialOffsetLog(spark: SparkSession, metadataPath: String)
    extends HDFSMetadataLog[EventHubsSourceOffset](spark, metadataPath)
    with InitialOffsets {

  import InitialOffsetLog._

  override def getOrElseAdd(resolve: => EventHubsSourceOffset): EventHubsSourceOffset = get(0L).getOrElse {
    val resolved = resolve
    add(0L, resolved)
    resolved
  }

  override protected def serialize(offset: EventHubsSourceOffset, out: OutputStream): Unit =
    out.write(s"\u0000v$Version\n${offset.json}".getBytes(UTF_8))

  override protected def deserialize(in: InputStream): EventHubsSourceOffset = {
    // A file in Spark 2.1's format has no zero byte and no version.
    val text = new String(in.readAllBytes(), UTF_8).stripPrefix("\u0000")
    if (text.startsWith("v")) EventHubsSourceOffset.parse(afterVersion(text)) else EventHubsSourceOffset.parse(text)
  }

  private def afterVersion(text: String): String = {
    val lineEnd = text.indexOf('\n')
    val version = if (lineEnd < 0) None else text.substring(1, lineEnd).toIntOption
    version match {
      case Some(known) if known <= Version => text.substring(lineEnd + 1)
      case Some(future) => throw EventHubsErrors.unsupportedLogVersion(metadataPath, future, Version)
      case None => throw EventHubsErrors.malformedOffset(text, new IllegalArgumentException("no version line"))
    }
  }
}

private object InitialOffsetLog {
  private val Version = 1
}
