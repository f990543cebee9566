package org.apache.spark.sql.eventhubs

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.codahale.metrics.{Gauge, MetricRegistry}

/**
 * The gauges of running queries: `<query>.source<n>.<metric>`, and `<query>.secondsSinceReport`. A gauge is NaN while
 * its metric is not known. The caller brings the time, in milliseconds. Thread-safe.
 */
private[eventhubs] final class StreamGauges(registry: MetricRegistry, now: () => Long) {
  import StreamGauges._

  private val queries = new ConcurrentHashMap[String, Reported]()

  /** @param sources the metrics of a source, by its number in the report: only of sources that are event hubs */
  def reported(query: String, run: UUID, sources: Map[Int, Map[String, String]]): Unit = {
    val values = for {
      (number, metrics) <- sources
      (metric, text) <- metrics if metric != NameOfHub
      value <- Try(text.toDouble).toOption
    } yield s"$query.source$number.$metric" -> value
    val known = Option(queries.get(query)).fold(Set.empty[String])(_.gauges)
    queries.put(query, Reported(run, values, known ++ values.keys + s"$query.$SinceReport", now()))
    values.keys.foreach(name => add(name, () => Option(queries.get(query)).flatMap(_.values.get(name))))
    add(s"$query.$SinceReport", () => Option(queries.get(query)).map(last => (now() - last.at) / 1000.0))
  }

  /** Spark reports an idle query without numbers: they stay as they are. */
  def idle(run: UUID): Unit = ofRun(run).foreach { case (query, last) => queries.put(query, last.copy(at = now())) }

  /** Removes the gauges, unless a newer run of the query has them. */
  def ended(run: UUID): Unit = ofRun(run).foreach { case (query, last) =>
    queries.remove(query)
    last.gauges.foreach(registry.remove)
  }

  private def ofRun(run: UUID) = queries.asScala.toSeq.filter(_._2.run == run)

  private def add(name: String, value: () => Option[Double]): Unit =
    if (!registry.getGauges.containsKey(name)) {
      registry.register(name, (() => value().getOrElse(Double.NaN)): Gauge[Double])
      ()
    }
}

private object StreamGauges {

  /** The one metric that is neither a number nor JSON. A hub may have a number as its name. */
  val NameOfHub = "slowestHub"
  val SinceReport = "secondsSinceReport"

  final case class Reported(run: UUID, values: Map[String, Double], gauges: Set[String], at: Long)
}
