package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.connection.{LinkDrain, ReceiveLink}

/**
 * A receiver's link: its events, its credit and its drain. Used by the receiver's thread.
 *
 * @param prefetchCount the link's credit: limit on the events that are requested and not read yet
 * @param window        limit on the bytes of the events that have arrived and are not read yet
 */
private[receive] final class OpenLink(
    val queue: PrefetchQueue,
    val prefetchCount: Int,
    val window: ReceiveLink.Window,
    val openedMillis: Long
) {

  val drain = new LinkDrain

  private val minRequest = math.max(1, prefetchCount / 4)

  /** Events requested and not read yet. */
  private var outstanding = 0

  /** How many of them may belong to the next range. */
  var nextRangeCredit = 0

  var hasDelivered = false

  /** The answers to questions of the current range. */
  val empty = new EmptyAnswers(drain)

  /** An event was read from the queue. */
  def taken(bytes: Int, left: Long): Unit = {
    window.taken(bytes)
    outstanding -= 1
    if (prefetchCount - outstanding >= minRequest) requestMore(left)
  }

  /**
   * Requests the rest of the range and the first events of the next one, up to the credit. Small requests are held
   * back, because each costs a round trip, except for the last one.
   *
   * @param left events that the range still needs
   */
  def requestMore(left: Long): Unit = {
    outstanding -= drain.takeReturned()
    val credit = prefetchCount
    val wanted = math.min(credit.toLong, math.min(left, credit.toLong) + nextRangeCredit).toInt
    val more = wanted - outstanding
    if (more >= minRequest || more > 0 && wanted < credit) {
      outstanding += more
      queue.request(more.toLong)
    }
  }
}
