package localhub.amqp.server

import localhub.log.PartitionLog

/**
 * The link of an idempotent producer to a partition. Changed under the lock of [[IdempotentProducers]] only.
 *
 * @param claimed the number that the producer claims
 * @param fenced  called once when another link has taken over
 */
private[amqp] final class ProducerLink private[server] (
    private[server] val log: PartitionLog,
    private[server] val producer: Producer,
    private[server] val epoch: Short,
    private[server] val claimed: Option[Int],
    private[server] val fenced: AmqpFailure => Unit
) {

  /** The last event of those that are stored or wait for their append. None before the link has started. */
  private[server] var admitted = Option.empty[Int]
}
