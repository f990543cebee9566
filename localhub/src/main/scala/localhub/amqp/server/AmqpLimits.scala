package localhub.amqp.server

import java.time.Duration

/**
 * Limits for clients: the rules of Event Hubs, and bounds that keep a hostile client from filling the memory.
 *
 * @param toleratedSilence     idle time-out: a connection without a byte from the peer for this long is closed
 * @param handshake            time for a connection to be opened
 * @param connections          further connections are closed at once
 * @param incompletePerConnection bytes of deliveries whose last frame has not arrived; likewise `incompleteInAll`
 */
private[localhub] final case class AmqpLimits(
    toleratedSilence: Duration = Duration.ofMinutes(4),
    handshake: Duration = Duration.ofMinutes(1),
    receiversPerPartition: Int = 5,
    connections: Int = 20000,
    linksPerConnection: Int = 5000,
    incompletePerConnection: Long = 64L * 1024 * 1024,
    incompleteInAll: Long = math.max(64L * 1024 * 1024, Runtime.getRuntime.maxMemory / 4)
)

private[localhub] object AmqpLimits {

  /** Largest event, or batch of events, as its producer encodes it; in bytes. */
  val MaxMessageSize: Int = 1024 * 1024
}
