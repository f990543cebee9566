package localhub.http

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8

import localhub.namespace.Namespace

/** Metrics in the text format 0.0.4 of Prometheus. */
private[localhub] final class MetricsRoutes(namespace: Namespace, more: () => Seq[Metric] = () => Nil) extends Routes {

  override val answer: PartialFunction[Request, Response] = { case Request("GET", List("metrics"), _, _) =>
    val text = (partitionMetrics ++ more() :+ heap).map(_.text).mkString
    Response(200, "text/plain; version=0.0.4; charset=utf-8", text.getBytes(UTF_8))
  }

  private def partitionMetrics: Seq[Metric] = {
    val partitions = for {
      hub <- namespace.all
      (log, id) <- hub.partitions.zipWithIndex
    } yield (Seq("hub" -> hub.name, "partition" -> id.toString), log.bounds, log.retainedBytes)
    Seq(
      Metric.counter(
        "localhub_partition_appended_events_total",
        "Events stored in the partition since its creation.",
        partitions.map { case (labels, bounds, _) => labels -> (bounds.lastSequenceNumber + 1) }
      ),
      Metric.gauge(
        "localhub_partition_retained_events",
        "Retained events of the partition.",
        namespace.all.flatMap(hub =>
          hub.partitions.zipWithIndex.map { case (log, id) =>
            Seq("hub" -> hub.name, "partition" -> id.toString) -> log.retainedEvents
          }
        )
      ),
      Metric.gauge(
        "localhub_partition_retained_bytes",
        "Bytes of the retained events.",
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
    "Used heap of the hub's process.",
    Seq(Nil -> ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed)
  )
}
