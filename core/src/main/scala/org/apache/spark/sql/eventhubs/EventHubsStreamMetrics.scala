package org.apache.spark.sql.eventhubs

import scala.jdk.CollectionConverters._

import com.codahale.metrics.MetricRegistry

import org.apache.spark.SparkEnv
import org.apache.spark.metrics.source.Source
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.sql.eventhubs.source.StreamOpened
import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.apache.spark.sql.streaming.StreamingQueryProgress

/**
 * Shows how far streams are behind in Spark's metrics system, which has sinks for Prometheus, JMX, Graphite and others.
 * Users name this class in `spark.extraListeners`: it then covers all sessions and queries of the driver.
 */
final class EventHubsStreamMetrics extends SparkListener {

  // Spark creates listeners before its metrics system.
  private lazy val gauges = {
    val registry = new MetricRegistry
    SparkEnv.get.metricsSystem.registerSource(new Source {
      override def sourceName: String = "EventHubs"
      override def metricRegistry: MetricRegistry = registry
    })
    new StreamGauges(registry, () => System.currentTimeMillis())
  }

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case started: QueryStartedEvent => gauges.started(started.id, started.runId, Option(started.name))
    case opened: StreamOpened => gauges.opened(opened.query)
    case progressed: QueryProgressEvent =>
      val report = progressed.progress
      val sources = sourcesOf(report)
      if (sources.nonEmpty) gauges.reported(report.id, report.runId, Option(report.name), sources)
    case idle: QueryIdleEvent => gauges.idle(idle.runId)
    case ended: QueryTerminatedEvent => gauges.ended(ended.runId)
    case _ =>
  }

  private def sourcesOf(report: StreamingQueryProgress): Map[Int, Map[String, String]] =
    report.sources.zipWithIndex.collect {
      case (source, number) if source.description.startsWith("EventHubs[") =>
        number -> source.metrics.asScala.toMap
    }.toMap
}
