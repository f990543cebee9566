package localhub.amqp

import java.time.Duration

/**
 * What clients may use: the rules of Event Hubs, and bounds that keep a hostile client from using up the memory.
 *
 * @param toleratedSilence     after this long without a byte from the peer its connection is closed; half is announced to it
 * @param handshake            by then a connection has to be open
 * @param connections          further ones are closed as soon as they come
 * @param incompletePerConnection bytes of deliveries whose last frame has not come; likewise `incompleteInAll`
 */
final case class AmqpLimits(
    toleratedSilence: Duration = Duration.ofMinutes(4),
    handshake: Duration = Duration.ofMinutes(1),
    receiversPerPartition: Int = 5,
    connections: Int = 20000,
    linksPerConnection: Int = 5000,
    incompletePerConnection: Long = 64L * 1024 * 1024,
    incompleteInAll: Long = math.max(64L * 1024 * 1024, Runtime.getRuntime.maxMemory / 4)
)
