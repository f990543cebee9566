package org.apache.spark.eventhubs.receive

import java.time.Duration

import org.apache.spark.eventhubs.connection.{LinkDrain, ReceiveLink}

/**
 * A receiver's link: its events, its credit and its drain. Used by the receiver's thread.
 *
 * @param initialCredit see [[prefetchCount]]
 * @param capacity      the most that it can become
 * @param window        limit on the bytes of the events that have arrived and are not read yet
 */
private[receive] final class OpenLink(
    initialCredit: Int,
    capacity: Int,
    val window: ReceiveLink.Window,
    val openedMillis: Long,
    operationTimeout: Duration
) {

  val queue = new PrefetchQueue(capacity)
  val drain = new LinkDrain

  private var credit = initialCredit

  /** The link's credit: limit on the events that are requested and not read yet. */
  def prefetchCount: Int = credit

  /** Whether the link can have this credit. A smaller one cannot take back what was requested. */
  def canGrowTo(count: Int): Boolean = count > credit && count <= capacity

  def growTo(count: Int): Unit = credit = count

  private def minRequest = math.max(1, math.min(credit / 4, OpenLink.LargestRequest))

  /** Events requested and not read yet. */
  private var outstanding = 0

  /** How many of them may belong to the next range. */
  var nextRangeCredit = 0

  var hasDelivered = false

  /** The answers to questions of the current range. */
  val partitionEnd = new EmptyAnswers(
    drain,
    LinkDrain.answerWithin(operationTimeout).toMillis,
    LinkDrain.listenFor(operationTimeout).toMillis
  )

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
    val wanted = math.min(credit.toLong, math.min(left, credit.toLong) + nextRangeCredit).toInt
    val more = wanted - outstanding
    if (more >= minRequest || more > 0 && wanted < credit) {
      outstanding += more
      queue.request(more.toLong)
    }
  }
}

private object OpenLink {

  /**
   * A request announces the session's window too. With the default buffer it has room for 2,730 small events, fewer
   * than the credit, so what a request waits for is missing from each round trip.
   */
  private val LargestRequest = 256
}
