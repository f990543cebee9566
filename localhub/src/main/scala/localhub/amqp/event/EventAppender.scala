package localhub.amqp.event

import localhub.log.{LogPosition, PartitionLog}
import localhub.namespace.EventHub

/** Stores a message as if a producer had sent it over AMQP, for the HTTP API. */
private[localhub] object EventAppender {

  /** @param message one encoded AMQP message */
  def append(log: PartitionLog, message: Array[Byte]): LogPosition =
    log.append(1, new StoredEventEncoder(BatchDecoder.decode(message, messageFormat = 0), log.epochAt))

  /** The id of the partition that events with this key go to. */
  def partitionOf(hub: EventHub, partitionKey: String): String =
    PartitionKeyHash.partitionOf(partitionKey, hub.partitions.length).toString
}
