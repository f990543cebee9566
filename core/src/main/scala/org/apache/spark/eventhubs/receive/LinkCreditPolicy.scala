package org.apache.spark.eventhubs.receive

import java.util.concurrent.atomic.AtomicInteger

/**
 * How many events of credit a link gets, so that what it holds prefetched stays within a bound in bytes whatever the
 * size of the events. The size is learned from the events of the hub and shared by all its links of this JVM.
 *
 * A link that no task reads holds what was prefetched for its next range. What all of them hold together is bounded too,
 * else a hub of a thousand partitions would fill the heap of an executor between two micro-batches.
 *
 * @param bufferBytes bound on the bytes that one link holds prefetched
 * @param fullLinks   how many waiting links may hold that; if there are more, they share it
 */
class LinkCreditPolicy(val bufferBytes: Long, fullLinks: Int) {

  import LinkCreditPolicy._

  private val links = new AtomicInteger

  @volatile private var meanBytes = Option.empty[Double]

  /** Credit for a new link. Before anything is known, every event may be as large as the service allows. */
  def prefetchCount: Int = meanBytes match {
    case Some(mean) => clamp((bufferBytes / (mean + OverheadBytes)).toLong)
    case None => clamp(bufferBytes / LargestEventBytes)
  }

  /**
   * How much of its credit a link may use for events that no task waits for yet. A few in any case: a stream that keeps up
   * would else ask for each event of a quiet partition when its task comes to it.
   */
  def waitingCount(prefetchCount: Int): Int = {
    val share = prefetchCount.toLong * fullLinks / math.max(links.get, fullLinks)
    math.max(math.min(LeastCredit, prefetchCount), share.toInt)
  }

  def linkOpened(): Unit = {
    links.incrementAndGet()
    ()
  }

  def linkClosed(): Unit = {
    links.decrementAndGet()
    ()
  }

  /** Takes note of `events` received events whose messages had `bytes` bytes together. */
  def learn(events: Long, bytes: Long): Unit = if (events > 0) {
    val seen = bytes.toDouble / events
    // Growth counts at once, because it is what could fill the heap; shrinking is believed slowly.
    meanBytes = Some(meanBytes.fold(seen)(known => if (seen > known) seen else known * 0.7 + seen * 0.3))
  }

  /** Whether a link with this much credit should be replaced: it holds far too much, or far less than it might. */
  def isMisfit(prefetchCount: Int): Boolean = {
    val wanted = this.prefetchCount
    wanted >= prefetchCount * 4L || wanted * 2L <= prefetchCount
  }
}

object LinkCreditPolicy {
  private val LargestEventBytes = 1L << 20

  /** Objects around a message, roughly: with the annotations of a plain event, some 256 bytes around a body. */
  private val OverheadBytes = 150

  /**
   * More credit than this brought nothing in measurements. Powers of two only: the SDK keeps a client for every credit that
   * is in use.
   */
  private def clamp(events: Long): Int =
    Integer.highestOneBit(math.min(4096L, math.max(LeastCredit.toLong, events)).toInt)

  /** Fewer than this would make a link stop and go. */
  private val LeastCredit = 8

  /** A user's own `prefetchCount` is taken as it is. */
  def fixed(count: Int): LinkCreditPolicy = new LinkCreditPolicy(Long.MaxValue, fullLinks = 1) {
    override def prefetchCount: Int = count
    override def waitingCount(prefetchCount: Int): Int = count
    override def isMisfit(current: Int): Boolean = false
  }
}
