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

  private val starts = new ConcurrentHashMap[UUID, Start]()
  private val queries = new ConcurrentHashMap[UUID, Reported]()

  /** A query has started. Whether it reads event hubs is not known yet. */
  def started(id: UUID, run: UUID, name: Option[String]): Unit = {
    starts.put(id, Start(run, name))
    ()
  }

  /** The query reads event hubs. It may be idle, and then Spark sends no report of it. */
  def opened(id: UUID): Unit = for {
    start <- Option(starts.get(id))
    if Option(queries.get(id)).forall(_.run != start.run)
  } show(id, start.run, start.name, _ => Map.empty)

  /** @param sources the metrics of a source, by its number in the report: only of sources that are event hubs */
  def reported(id: UUID, run: UUID, name: Option[String], sources: Map[Int, Map[String, String]]): Unit =
    show(
      id,
      run,
      name,
      shown =>
        for {
          (number, metrics) <- sources
          (metric, text) <- metrics if metric != NameOfHub
          value <- Try(text.toDouble).toOption
        } yield s"$shown.source$number.$metric" -> value
    )

  /** Spark reports an idle query without numbers: they stay as they are. */
  def idle(run: UUID): Unit = ofRun(run).foreach { case (id, last) => queries.put(id, last.copy(at = now())) }

  /** Removes the gauges, unless a newer run of the query has them. */
  def ended(run: UUID): Unit = {
    starts.values.removeIf(_.run == run)
    ofRun(run).foreach { case (id, last) =>
      queries.remove(id)
      last.gauges.foreach(registry.remove)
    }
  }

  private def show(id: UUID, run: UUID, name: Option[String], valuesOf: String => Map[String, Double]): Unit = {
    val before = Option(queries.get(id))
    val shown = before.fold(free(name.getOrElse(id.toString), id))(_.name)
    val values = valuesOf(shown)
    val sinceReport = s"$shown.$SinceReport"
    val known = before.fold(Set.empty[String])(_.gauges)
    queries.put(id, Reported(shown, run, values, known ++ values.keys + sinceReport, now()))
    values.keys.foreach(gauge => add(gauge, () => Option(queries.get(id)).flatMap(_.values.get(gauge))))
    add(sinceReport, () => Option(queries.get(id)).map(last => (now() - last.at) / 1000.0))
  }

  /** Spark refuses two queries of one name in a session only. A later one keeps its own name until it ends. */
  private def free(name: String, id: UUID): String =
    if (queries.values.asScala.exists(_.name == name)) s"${name}_${id.toString.take(8)}" else name

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

  final case class Start(run: UUID, name: Option[String])

  final case class Reported(name: String, run: UUID, values: Map[String, Double], gauges: Set[String], at: Long)
}
