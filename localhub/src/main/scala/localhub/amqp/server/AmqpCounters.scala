package localhub.amqp.server

import java.util.concurrent.atomic.LongAdder

/**
 * Counters of a server since its start.
 *
 * @param openConnections connections that are open now
 * @param bytesIn         bytes read from sockets, including framing; likewise `bytesOut`
 * @param managementCalls requests for hub and partition properties, of which the service allows 50 a second
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

/** The counters that the I/O threads update. */
private[amqp] final class LiveCounters {
  val opened = new LongAdder
  val closed = new LongAdder
  val eventsIn = new LongAdder
  val eventsOut = new LongAdder
  val bytesIn = new LongAdder
  val bytesOut = new LongAdder
  val managementCalls = new LongAdder

  /** Connections that ended because of an unexpected exception. */
  val defects = new LongAdder

  def snapshot: AmqpCounters = {
    // In this order, so that a connection that ends concurrently does not make the difference negative.
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
