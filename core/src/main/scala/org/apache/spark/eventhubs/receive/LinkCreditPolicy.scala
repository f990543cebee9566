package org.apache.spark.eventhubs.receive

import java.util.concurrent.atomic.AtomicInteger

/**
 * How many events of credit a link gets, so that its prefetched events stay within a bound in bytes at any event size.
 * The size is learned from the hub's events and shared by all its links in this JVM.
 *
 * A link that no task reads keeps prefetched events for its next range. The sum over all links is bounded too.
 * Otherwise a hub with a thousand partitions would fill an executor's heap between two micro-batches.
 *
 * @param bufferBytes bound on the prefetched bytes of one link
 * @param fullLinks   how many waiting links may hold that much in all: some of those whose tasks start soon hold it
 *                    alone, and the others share the rest
 */
private[eventhubs] class LinkCreditPolicy(val bufferBytes: Long, fullLinks: Int) {

  import LinkCreditPolicy._

  private val links = new AtomicInteger

  /** Waiting links that hold their whole credit, because their tasks start soon. */
  private val whole = new AtomicInteger

  /** By default one for each core. */
  private val mostWhole = fullLinks / 2

  private val eventSize = new MeanEventSize

  /** Credit for a new link, in events. Before any event is known, each may be as large as the service allows. */
  def prefetchCount: Int = eventSize.mean match {
    case Some(mean) => clamp((bufferBytes / (mean + OverheadBytes)).toLong)
    case None => clamp(bufferBytes / LargestEventBytes)
  }

  /** The most that [[prefetchCount]] can become for a link that opens now: its credit may grow when sizes are known. */
  def capacity: Int = if (eventSize.mean.isEmpty) clamp(Long.MaxValue) else prefetchCount

  /**
   * How much of its credit a link may use for events that no task waits for yet. It is a few in any case. Otherwise a
   * stream without a backlog would request each event of a quiet partition only when its task starts.
   */
  def waitingCount(prefetchCount: Int): Int = {
    val all = links.get
    val share =
      if (all <= fullLinks) prefetchCount
      else (prefetchCount.toLong * (fullLinks - mostWhole) / (all - mostWhole)).toInt
    math.max(math.min(MinCredit, prefetchCount), share)
  }

  /** Lets a waiting link use its whole credit, until [[endReservation]]. False when enough links do so already. */
  def reserveWhole(): Boolean = whole.getAndUpdate(links => math.min(links + 1, mostWhole)) < mostWhole

  /** A link with a reservation is no longer waiting. */
  def endReservation(): Unit = {
    whole.decrementAndGet()
    ()
  }

  def linkOpened(): Unit = {
    links.incrementAndGet()
    ()
  }

  def linkClosed(): Unit = {
    links.decrementAndGet()
    ()
  }

  /** Learns from `events` received events whose encoded messages have `bytes` bytes together. */
  def learn(events: Long, bytes: Long): Unit = eventSize.add(events, bytes)

  /** Whether a link should have another credit: with this one it prefetches far too much, or far less than it could. */
  def isMisfit(prefetchCount: Int): Boolean = {
    val wanted = this.prefetchCount
    wanted >= prefetchCount * 4L || wanted * 2L <= prefetchCount
  }
}

private[eventhubs] object LinkCreditPolicy {
  private val LargestEventBytes = 1L << 20
  private val DefaultBufferBytes = 16L << 20

  /** Heap of the objects that hold an encoded message in the queue, roughly. */
  private val OverheadBytes = 150

  /**
   * More credit than 4,096 did not read faster in measurements. Powers of two, so that small changes of the event size
   * do not change the credit.
   */
  private def clamp(events: Long): Int =
    Integer.highestOneBit(math.min(4096L, math.max(MinCredit.toLong, events)).toInt)

  /** With less, a link would wait for a round trip after every few events. */
  private val MinCredit = 8

  /** Uses the user's `prefetchCount` as it is. The link's window still bounds the bytes. */
  def fixed(count: Int, bufferBytes: Long = DefaultBufferBytes): LinkCreditPolicy = new LinkCreditPolicy(
    bufferBytes,
    fullLinks = 1
  ) {
    override def prefetchCount: Int = count
    override def capacity: Int = count
    override def waitingCount(prefetchCount: Int): Int = count
    override def reserveWhole(): Boolean = false
    override def isMisfit(current: Int): Boolean = false
  }
}
