package localhub.amqp

import java.time.Duration

/**
 * What one connection may use, as Event Hubs limits it.
 *
 * @param toleratedSilence after this long without a byte from the peer its connection is closed; half is announced to it
 * @param handshake        by then a connection has to be open
 */
final case class AmqpLimits(
    toleratedSilence: Duration = Duration.ofMinutes(4),
    handshake: Duration = Duration.ofMinutes(1),
    receiversPerPartition: Int = 5
)
