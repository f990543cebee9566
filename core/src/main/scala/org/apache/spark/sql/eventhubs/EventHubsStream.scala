package org.apache.spark.sql.eventhubs

import java.util.{Map => JavaMap, Optional}

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.sql.connector.read.streaming.{
  Offset,
  ReadAllAvailable,
  ReadLimit,
  ReadMaxRows,
  ReportsSourceMetrics,
  SupportsTriggerAvailableNow
}

/** The engine's contract of a streaming read, shared by both faces. */
private[eventhubs] trait EventHubsStream extends SupportsTriggerAvailableNow with ReportsSourceMetrics {

  protected def session: EventHubsStreamSession

  protected def settings: ReadSettings = session.settings

  override def getDefaultReadLimit: ReadLimit =
    settings.maxEventsPerTrigger.fold[ReadLimit](ReadLimit.allAvailable())(ReadLimit.maxRows)

  override def prepareForTriggerAvailableNow(): Unit = session.planner.pinTarget()

  /** @param start null before the first batch of a V1 source */
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    val from = Option(start).fold(session.planner.initialOffset)(EventHubsSourceOffset.from)
    val max = limit match {
      case rows: ReadMaxRows => Some(rows.maxRows())
      case _: ReadAllAvailable => None
      case other => throw new UnsupportedOperationException(s"read limit $other")
    }
    session.planner.latestOffset(from, max)
  }

  override def reportLatestOffset(): Offset = session.planner.newest()

  override def deserializeOffset(json: String): Offset = EventHubsSourceOffset.parse(json)

  override def metrics(latestConsumed: Optional[Offset]): JavaMap[String, String] =
    if (latestConsumed.isEmpty) JavaMap.of()
    else {
      val consumed = EventHubsSourceOffset.from(latestConsumed.get)
      SourceMetrics(consumed, session.planner.newest(), settings.connection.hub.name, session.lostEvents.value).asJava
    }

  override def stop(): Unit = session.close()
}
