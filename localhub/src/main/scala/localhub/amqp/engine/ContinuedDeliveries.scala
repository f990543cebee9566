package localhub.amqp.engine

import scala.collection.mutable

import org.apache.qpid.proton.amqp.transport.Transfer

/** The deliveries of a connection that are sent in more than one frame and have begun. Usually there are none. */
private[engine] final class ContinuedDeliveries {

  private val deliveryIds = mutable.LongMap.empty[Int]

  /** Whether an earlier frame belongs to the same delivery. */
  def contains(channel: Int, transfer: Transfer): Boolean =
    deliveryIds.nonEmpty && {
      val id = deliveryIds.getOrElse(key(channel, transfer), -1)
      id == transfer.getDeliveryId.intValue
    }

  def sent(channel: Int, transfer: Transfer): Unit =
    if (transfer.getMore) deliveryIds.update(key(channel, transfer), transfer.getDeliveryId.intValue)
    else if (deliveryIds.nonEmpty) { deliveryIds.remove(key(channel, transfer)); () }

  private def key(channel: Int, transfer: Transfer): Long = channel.toLong << 32 | transfer.getHandle.longValue
}
