package localhub.http

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8

import localhub.node.Namespace

/** Figures for Prometheus, in its text format 0.0.4. */
final class MetricsRoutes(namespace: Namespace, more: () => Seq[Metric] = () => Nil) extends Routes {

  override val answer: PartialFunction[Request, Reply] = { case Request("GET", List("metrics"), _, _) =>
    val text = (partitionMetrics ++ more() :+ heap).map(_.text).mkString
    Reply(200, "text/plain; version=0.0.4; charset=utf-8", text.getBytes(UTF_8))
  }

  private def partitionMetrics: Seq[Metric] = {
    val partitions = for {
      hub <- namespace.all
      (log, id) <- hub.partitions.zipWithIndex
    } yield (Seq("hub" -> hub.name, "partition" -> id.toString), log.bounds, log.retainedBytes)
    Seq(
      Metric.counter(
        "localhub_partition_appended_events_total",
        "Events ever stored in the partition.",
        partitions.map { case (labels, bounds, _) => labels -> (bounds.lastSequenceNumber + 1) }
      ),
      Metric.gauge(
        "localhub_partition_retained_events",
        "Events in the partition.",
        partitions.map { case (labels, bounds, _) =>
          labels -> (bounds.lastSequenceNumber - bounds.beginSequenceNumber + 1)
        }
      ),
      Metric.gauge(
        "localhub_partition_retained_bytes",
        "Bytes of the events in the partition.",
        partitions.map { case (labels, _, bytes) => labels -> bytes }
      ),
      Metric.gauge(
        "localhub_partition_last_sequence_number",
        "Sequence number of the newest event, -1 before the first.",
        partitions.map { case (labels, bounds, _) => labels -> bounds.lastSequenceNumber }
      )
    )
  }

  private def heap: Metric = Metric.gauge(
    "localhub_heap_used_bytes",
    "Heap of the hub's process in use.",
    Seq(Nil -> ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed)
  )
}

/** One metric with its samples: labels and value. */
final case class Metric(name: String, kind: String, help: String, samples: Seq[(Seq[(String, String)], Long)]) {

  def text: String = samples.map { case (labels, value) =>
    val inBraces = labels.map { case (key, label) => s"""$key="${Metric.escape(label)}"""" }
    s"$name${if (labels.isEmpty) "" else inBraces.mkString("{", ",", "}")} $value\n"
  }.mkString(s"# HELP $name $help\n# TYPE $name $kind\n", "", "")
}

object Metric {
  def counter(name: String, help: String, samples: Seq[(Seq[(String, String)], Long)]): Metric =
    Metric(name, "counter", help, samples)

  def gauge(name: String, help: String, samples: Seq[(Seq[(String, String)], Long)]): Metric =
    Metric(name, "gauge", help, samples)

  private def escape(label: String): String = label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n")
}
