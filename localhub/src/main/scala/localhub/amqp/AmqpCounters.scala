package localhub.amqp

import java.util.concurrent.atomic.LongAdder

/**
 * Counts of a server since its start.
 *
 * @param openConnections of now
 * @param bytesIn         as read from sockets, frames and all; likewise bytesOut
 * @param managementCalls questions about hubs and partitions, of which the service allows 50 a second
 */
final case class AmqpCounters(
    openConnections: Long,
    connections: Long,
    eventsIn: Long,
    eventsOut: Long,
    bytesIn: Long,
    bytesOut: Long,
    managementCalls: Long
)

/** The counters while they count; written by all I/O threads. */
private[amqp] final class LiveCounters {
  val opened = new LongAdder
  val closed = new LongAdder
  val eventsIn = new LongAdder
  val eventsOut = new LongAdder
  val bytesIn = new LongAdder
  val bytesOut = new LongAdder
  val managementCalls = new LongAdder

  /** Connections that ended because of an exception that nobody foresaw. */
  val defects = new LongAdder

  def snapshot: AmqpCounters = {
    // In this order, so that a connection that ends meanwhile does not make the difference negative.
    val ended = closed.sum
    val begun = opened.sum
    AmqpCounters(
      begun - ended,
      begun,
      eventsIn.sum,
      eventsOut.sum,
      bytesIn.sum,
      bytesOut.sum,
      managementCalls.sum
    )
  }
}
