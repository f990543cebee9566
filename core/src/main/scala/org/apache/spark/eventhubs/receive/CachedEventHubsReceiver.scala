package org.apache.spark.eventhubs.receive

import java.util.concurrent.TimeUnit

import scala.annotation.tailrec

import org.apache.spark.eventhubs.amqp.{MalformedMessageException, ReceivedEvent}
import org.apache.spark.eventhubs.connection.{ClientLease, PartitionBounds, ReceiveLink, SdkErrors}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * A link to one partition that stays open from batch to batch: the next batch goes on where the last one ended, with
 * what was prefetched meanwhile. Used by one task at a time, which takes it out of the [[ReceiverCache]] and puts it
 * back, or closes it when it stopped half way.
 *
 * The SDK does not resume a link; this does, at the next sequence number: after a failure that may pass (waiting longer
 * each time, and as long as a busy service asks for), after a dropped connection (which the SDK reports as completion),
 * and when its credit no longer fits the size of the events.
 *
 * @param patience what is waited for and how long
 */
final class CachedEventHubsReceiver(
    val key: ReceiverKey,
    fromSeqNo: Long,
    lease: ClientLease,
    sizing: LinkCreditPolicy,
    patience: ReceiverTimeouts,
    clock: Clock,
    onTooManyReceivers: () => Unit
) extends AutoCloseable
    with Logging {

  import CachedEventHubsReceiver._

  private var expected = fromSeqNo
  private var until = fromSeqNo
  private var goesOn = false
  private var checkSizeIn = FirstSizeCheck
  private var eventsSinceCheck = 0L
  private var bytesSinceCheck = 0L
  private var reopened = 0
  private var failedAttempts = 0
  private var lastFailure = Option.empty[Throwable]
  private var progressMillis = clock.getTimeMillis()

  private var linkVerified = true

  /** Since the task that has it took it. */
  val metrics = new ReceiverMetrics

  private var link = open()
  sizing.linkOpened()
  private var isClosed = false

  /** The event that the last `advance` stopped at. */
  val event = new ReceivedEvent

  /** Sequence number of the first event not received yet. */
  def nextSeqNo: Long = expected

  def silenceMillis: Long = patience.silence.toMillis

  /** What the partition retains now, asked of the service. */
  def bounds(): PartitionBounds = lease.client.partitionBounds(Seq(key.partitionId))(key.partitionId)

  /** The generation of the hub that exists now, asked of the service. */
  def hubGeneration(): HubGeneration.CreatedAt = lease.client.hubProperties().generation

  /** Whether the link that brought the event at hand is known to lead to the hub of `key.generation`. */
  def isLinkVerified: Boolean = linkVerified

  def markLinkVerified(): Unit = linkVerified = true

  /** Why no event has come since the last one, as far as the link has said. */
  def failure: Option[EventHubsException] =
    lastFailure.filter(_ => failedAttempts > 0).map(SdkErrors.translate(_, key.hub, key.doing))

  /** How long it may wait in the cache for its next batch. */
  def idleMillis: Long = patience.idle.toMillis

  /** Links opened beyond the first, for metrics. */
  def timesReopened: Int = reopened

  /** Whether another range can go on from here on the open link: this one was read to its end, or has none. */
  def isContinuable: Boolean = (expected == until || until == Long.MaxValue) && !link.feed.hasEnded

  /**
   * Reads on until `untilSeqNo`.
   *
   * @param isFollowed whether another range goes on there: what may wait for it is asked for, and stays in the receiver
   */
  def startRange(untilSeqNo: Long, isFollowed: Boolean = true): Unit = {
    until = untilSeqNo
    goesOn = isFollowed
    progressMillis = clock.getTimeMillis()
    link.beyond = beyond(link.prefetchCount)
    ask(link, until - expected)
  }

  /**
   * Goes to the next event, waiting for it. Its sequence number is at least `nextSeqNo` was; a larger one is a gap,
   * which the caller has to explain.
   *
   * @param stopped whether the task was killed; asked while waiting
   * @return false when nothing has come for `patience.silence`, though the caller knows that there are events: it
   *         should find out whether they are still retained, and call again
   * @throws EventHubsException when the failure will not pass, or has not passed in time
   */
  def advance(stopped: () => Boolean): Boolean = advanceWithin(stopped, patience.silence.toMillis)

  /** The same with a time of one's own, in which nothing may come. */
  @tailrec
  def advanceWithin(stopped: () => Boolean, millis: Long): Boolean = {
    val next = link.feed.poll()
    if (next ne null) {
      taken()
      decode(next)
      val seqNo = event.sequenceNumber
      // The service may begin with an older batch than was asked for (azure-sdk-for-java#29502).
      if (seqNo < expected) advanceWithin(stopped, millis)
      else {
        accept(seqNo)
        true
      }
    } else if (await(stopped, millis)) advanceWithin(stopped, millis)
    else false
  }

  /** Drops the link and opens another at `seqNo`: for a link that is silent for too long, or whose gap is doubted. */
  def reopenAt(seqNo: Long): Unit = {
    expected = seqNo
    link.feed.cancel()
    reopened += 1
    link = open()
  }

  override def close(): Unit = {
    link.feed.cancel()
    lease.close()
    if (!isClosed) sizing.linkClosed()
    isClosed = true
  }

  private def decode(next: Array[Byte]): Unit =
    try event.set(next)
    catch {
      case malformed: MalformedMessageException =>
        throw EventHubsErrors.malformedEvent(key.hub, key.partitionId, expected, malformed)
    }

  private def accept(seqNo: Long): Unit = {
    if (!link.hasDelivered) {
      link.hasDelivered = true
      linkVerified = false
    }
    expected = seqNo + 1
    failedAttempts = 0
    eventsSinceCheck += 1
    bytesSinceCheck += event.encodedLength
    metrics.bytes += event.bodyLength
    // Events that have grown must not fill the heap until the count is full.
    if (eventsSinceCheck >= checkSizeIn || bytesSinceCheck > sizing.bufferBytes) checkSize()
  }

  private def taken(): Unit = {
    link.ahead -= 1
    if (link.prefetchCount - link.ahead >= link.grain) ask(link, until - expected - 1)
  }

  /**
   * Asks for what is left of the range and for what may wait for the next one, as far as the credit goes: in pieces that are
   * worth a round trip, and for the last of it at once.
   */
  private def ask(from: OpenLink, left: Long): Unit = {
    val most = from.prefetchCount
    val wanted = math.min(most.toLong, math.min(left, most.toLong) + from.beyond).toInt
    val more = wanted - from.ahead
    if (more >= from.grain || more > 0 && wanted < most) {
      from.ahead += more
      from.feed.request(more.toLong)
    }
  }

  private def beyond(prefetchCount: Int): Int = if (goesOn) sizing.waitingCount(prefetchCount) else 0

  private def checkSize(): Unit = {
    sizing.learn(eventsSinceCheck, bytesSinceCheck)
    eventsSinceCheck = 0
    bytesSinceCheck = 0
    checkSizeIn = SizeCheckEvery
    if (sizing.isMisfit(link.prefetchCount)) {
      logDebug(s"Reopening $key: credit ${link.prefetchCount} becomes ${sizing.prefetchCount}")
      reopenAt(expected)
    }
  }

  /** Waits for an event; survives the end of the link. False when the time of silence is over. */
  private def await(stopped: () => Boolean, millis: Long): Boolean = {
    val silentFrom = clock.getTimeMillis()
    ask(link, until - expected)
    if (failedAttempts == 0) progressMillis = silentFrom
    var silent = false
    var refused = false
    while (link.feed.isEmpty && !silent && !refused) {
      if (stopped()) throw new InterruptedException(s"the task was stopped while it waited for $key")
      if (Thread.interrupted()) throw new InterruptedException(s"interrupted while waiting for $key")
      link.feed.ended match {
        case Some(ending) =>
          recover(ending, stopped)
          // The service says that it has not what was asked for: the caller should look now what it has.
          refused = isBeyondEnd(ending)
        case None => link.feed.park(TimeUnit.MILLISECONDS.toNanos(millis), until - expected)
      }
      silent = clock.getTimeMillis() - silentFrom >= millis
    }
    metrics.waitedMillis += clock.getTimeMillis() - silentFrom
    // Not by the clock: what a new link has brought is there, though opening it took long.
    !refused && !link.feed.isEmpty
  }

  private def isBeyondEnd(ending: PrefetchQueue.Ending): Boolean = ending match {
    case PrefetchQueue.Ending.Failed(error) => SdkErrors.isBeyondEnd(error)
    case PrefetchQueue.Ending.Completed => false
  }

  private def recover(ending: PrefetchQueue.Ending, stopped: () => Boolean): Unit = {
    failedAttempts += 1
    val pause = ending match {
      case PrefetchQueue.Ending.Completed =>
        logInfo(s"The connection of $key went away; going on at sequence number $expected")
        if (failedAttempts == 1) 0L else patience.backoffMillis(failedAttempts)
      case PrefetchQueue.Ending.Failed(error) =>
        lastFailure = Some(error)
        val tooMany = SdkErrors.isTooManyReceivers(error)
        if (tooMany) onTooManyReceivers()
        // A link that has worked ends like this when its hub is deleted: another one may be there by now, or none.
        val deleted = link.hasDelivered && SdkErrors.isNotFound(error)
        val mayPass = tooMany || deleted || SdkErrors.isTransient(error)
        if (!isBeyondEnd(ending) && (!mayPass || isOutOfTime))
          throw SdkErrors.translate(error, key.hub, key.doing)
        val busy = SdkErrors.isServerBusy(error)
        if (busy) metrics.throttled += 1
        val pause = if (busy) patience.busyMillis else patience.backoffMillis(failedAttempts)
        logWarning(s"The link of $key failed; going on at sequence number $expected in $pause ms: ${error.getMessage}")
        pause
    }
    sleep(pause, stopped)
    reopenAt(expected)
  }

  private def isOutOfTime: Boolean = clock.getTimeMillis() - progressMillis >= patience.operation.toMillis

  private def sleep(millis: Long, stopped: () => Boolean): Unit = {
    val end = clock.getTimeMillis() + millis
    while (clock.getTimeMillis() < end && !stopped()) clock.waitTillTime(math.min(end, clock.getTimeMillis() + 100))
  }

  private def open(): OpenLink = {
    metrics.linksOpened += 1
    val prefetch = sizing.prefetchCount
    val opened = OpenLink(new PrefetchQueue(prefetch), prefetch)
    lease.client.subscribe(ReceiveLink(key.consumerGroup, key.partitionId, expected, key.ownerLevel), opened.feed)
    opened.beyond = beyond(prefetch)
    ask(opened, until - expected)
    opened
  }
}

object CachedEventHubsReceiver {

  /** The first events of a hub teach their size soon, because the first link has the credit of the largest events. */
  private val FirstSizeCheck = 16
  private val SizeCheckEvery = 4096

  /** @param prefetchCount its credit: most events that are on their way or wait in the feed */
  private final case class OpenLink(feed: PrefetchQueue, prefetchCount: Int) {

    val grain: Int = math.max(1, prefetchCount / 4)

    /** Asked for and not taken yet. */
    var ahead = 0

    /** How many of them may be of the next range. */
    var beyond = 0

    var hasDelivered = false
  }
}
