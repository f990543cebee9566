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
import org.apache.spark.sql.eventhubs.planning.TriggerLimits

/** Spark's contract of a streaming read, shared by the V1 and the V2 API. */
private[eventhubs] trait EventHubsStream extends SupportsTriggerAvailableNow with ReportsSourceMetrics {

  protected def session: EventHubsStreamSession

  protected def settings: ReadSettings = session.settings

  override def getDefaultReadLimit: ReadLimit = TriggerLimits.of(settings).readLimit

  override def prepareForTriggerAvailableNow(): Unit = session.planner.prepareForAvailableNow()

  /** @param start null before the first batch of a V1 source */
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    val from = Option(start).fold(session.planner.initialOffset)(EventHubsSourceOffset.from)
    // Spark plans a batch after it has committed the one before, and commits it to the source only with a next one.
    if (Option(start).nonEmpty) session.committed(from)
    val limits = TriggerLimits.of(limit)
    val read = session.totals.value
    session.eventSize.addTotals(read.events, read.bytes)
    val maxEvents = limits.eventLimit(session.eventSize.mean)
    session.planner.latestOffset(from, maxEvents, session.delay.isDue(_, limits))
  }

  override def reportLatestOffset(): Offset = session.planner.newest()

  override def deserializeOffset(json: String): Offset = EventHubsSourceOffset.parse(json)

  override def metrics(latestConsumed: Optional[Offset]): JavaMap[String, String] =
    if (latestConsumed.isEmpty) JavaMap.of()
    else {
      val consumed = EventHubsSourceOffset.from(latestConsumed.get)
      val totals = session.totals.value
      val read = session.planner.positions(consumed)
      val bounds = session.planner.bounds()
      // At the end of a trigger, which with a long interval comes long before the next batch.
      session.committed(consumed, bounds)
      val lag = TimeLag.seconds(read, totals.lastEnqueued, bounds)
      val newest = bounds.map { case (partition, retained) => partition -> retained.latest }
      val left = session.planner.availableNowEnd
        .fold(Map.empty[String, String])(SourceMetrics.left(read, _, settings.compacted))
      val metrics =
        if (settings.hubs.isOne)
          SourceMetrics(read, newest, totals.lost, lag, settings.compacted) ++ TimeLag.metrics(lag)
        else SourceMetrics.ofHubs(read, newest, totals.lostByHub, lag, settings.compacted) ++ TimeLag.metricsOfHubs(lag)
      val answer = session.planner.answerMillis.map(millis => "secondsSinceAnswer" -> (millis / 1000.0).toString)
      (metrics ++ left ++ answer ++ session.publication.fold(Map.empty[String, String])(_.metrics) ++ Map(
        "expiredAtStart" -> totals.expiredAtStart.toString,
        "throttled" -> totals.throttled.toString,
        "linksOpened" -> totals.linksOpened.toString
      )).asJava
    }

  override def stop(): Unit = session.close()

  /** The name of this source in `StreamingQueryProgress`. */
  override def toString: String = s"EventHubs[${settings.connection.hub}, consumer group ${settings.consumerGroup}]"
}
