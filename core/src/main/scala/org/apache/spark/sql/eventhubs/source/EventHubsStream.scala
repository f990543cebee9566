package org.apache.spark.sql.eventhubs.source

import java.util.{Map => JavaMap, Optional}

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.sql.connector.read.streaming.{
  Offset,
  ReadLimit,
  ReportsSourceMetrics,
  SupportsTriggerAvailableNow
}
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.metrics.{SourceMetrics, TimeBehind}
import org.apache.spark.sql.eventhubs.planning.TriggerLimits

/** The engine's contract of a streaming read, shared by both faces. */
private[eventhubs] trait EventHubsStream extends SupportsTriggerAvailableNow with ReportsSourceMetrics {

  protected def session: EventHubsStreamSession

  protected def settings: ReadSettings = session.settings

  override def getDefaultReadLimit: ReadLimit = TriggerLimits.of(settings).readLimit

  override def prepareForTriggerAvailableNow(): Unit = session.planner.pinTarget()

  /** @param start null before the first batch of a V1 source */
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    val from = Option(start).fold(session.planner.initialOffset)(EventHubsSourceOffset.from)
    val limits = TriggerLimits.of(limit)
    val read = session.totals.value
    session.eventSize.addTotals(read.events, read.bytes)
    val most = limits.mostEvents(session.eventSize.mean)
    session.planner.latestOffset(from, most, session.delay.permits(_, limits))
  }

  override def reportLatestOffset(): Offset = session.planner.newest()

  override def deserializeOffset(json: String): Offset = EventHubsSourceOffset.parse(json)

  override def metrics(latestConsumed: Optional[Offset]): JavaMap[String, String] =
    if (latestConsumed.isEmpty) JavaMap.of()
    else {
      val consumed = EventHubsSourceOffset.from(latestConsumed.get)
      val hub = settings.connection.hub.name
      val totals = session.totals.value
      val behind = TimeBehind.seconds(consumed.of(hub), totals.lastEnqueued, session.planner.bounds())
      (SourceMetrics(consumed, session.planner.newest(), hub, totals.lost) ++ TimeBehind.metrics(behind) +
        ("throttled" -> totals.throttled.toString) + ("linksOpened" -> totals.linksOpened.toString)).asJava
    }

  override def stop(): Unit = session.close()

  /** What `StreamingQueryProgress` calls this source. */
  override def toString: String = s"EventHubs[${settings.connection.hub}, consumer group ${settings.consumerGroup}]"
}
