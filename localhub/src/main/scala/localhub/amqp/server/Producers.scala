package localhub.amqp.server

import scala.collection.mutable

/**
 * An idempotent producer on one partition. Changed under the lock of [[IdempotentProducers]] only.
 *
 * @param epoch  in which `stored` counts
 * @param stored sequence number of the last stored event
 */
private[server] final class Producer(val id: Long, var epoch: Short, var stored: Int) {

  /** None when its link has closed. */
  var link = Option.empty[ProducerLink]

  /** Whether an append runs. The link that began it may have lost the producer since. */
  var isAppending = false

  /** Fences links with a lower one. */
  def newestEpoch: Short = link.fold(epoch)(open => math.max(epoch.toInt, open.epoch.toInt).toShort)
}

/** The producers of one partition since the promotion with this epoch. */
private[server] final class Producers {
  val entries = mutable.Map.empty[Long, Producer]
  var promotions = Option.empty[Int]

  /** The ids of those without a link, in the order in which they closed it. */
  private val withoutLink = mutable.LinkedHashSet.empty[Long]

  def open(producer: Producer): Unit = {
    entries(producer.id) = producer
    withoutLink -= producer.id
  }

  def closed(id: Long, kept: Int): Unit = {
    withoutLink += id
    if (withoutLink.size > kept) {
      entries -= withoutLink.head
      withoutLink -= withoutLink.head
    }
  }

  def clear(): Unit = {
    entries.clear()
    withoutLink.clear()
  }
}
