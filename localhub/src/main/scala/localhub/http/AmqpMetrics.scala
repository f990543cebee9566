package localhub.http

import localhub.amqp.AmqpServer

/** Counters and readers of the AMQP server as metrics. */
private[localhub] final class AmqpMetrics(amqp: AmqpServer) {

  def all: Seq[Metric] = counters ++ readers

  private def counters: Seq[Metric] = {
    val now = amqp.counters
    def total(name: String, help: String, value: Long) =
      Metric.counter(s"localhub_amqp_${name}_total", help, Seq(Nil -> value))
    Seq(
      Metric.gauge("localhub_amqp_open_connections", "Connections that are open now.", Seq(Nil -> now.openConnections)),
      total("connections", "Connections since the hub started.", now.connections),
      total("events_in", "Events taken from producers.", now.eventsIn),
      total("events_out", "Events sent to readers.", now.eventsOut),
      total("bytes_in", "Bytes read from sockets.", now.bytesIn),
      total("bytes_out", "Bytes written to sockets.", now.bytesOut),
      total("management_calls", "Requests for hub and partition properties.", now.managementCalls)
    )
  }

  // One series per partition and group, with the largest lag of its readers.
  private def readers: Seq[Metric] = {
    val groups = amqp.readers.groupBy(reader => (reader.hub, reader.consumerGroup, reader.partition)).toSeq.sortBy(_._1)
    val labelled = groups.map { case ((hub, group, partition), open) =>
      Seq("hub" -> hub, "consumer_group" -> group, "partition" -> partition) -> open
    }
    Seq(
      Metric.gauge(
        "localhub_readers",
        "Open readers of the partition and consumer group.",
        labelled.map { case (labels, open) => labels -> open.size.toLong }
      ),
      Metric.gauge(
        "localhub_reader_lag_events",
        "Unsent events of the reader that is furthest behind.",
        labelled.map { case (labels, open) => labels -> open.map(ReaderRoutes.lag(amqp.namespace, _)).max }
      )
    )
  }
}
