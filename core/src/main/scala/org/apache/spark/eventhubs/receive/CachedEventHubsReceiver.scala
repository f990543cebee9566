package org.apache.spark.eventhubs.receive

import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicBoolean

import scala.annotation.tailrec

import org.apache.spark.eventhubs.amqp.{MalformedMessageException, ReceivedEvent}
import org.apache.spark.eventhubs.connection.{ClientLease, LinkDrain, PartitionBounds, ReceiveLink}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.retry.CloseEach
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * A link to one partition that stays open between batches. The next batch continues where the last one ended, with the
 * events prefetched since then. One task at a time takes the receiver out of the [[ReceiverCache]], and returns it or,
 * in the middle of a range, closes it.
 *
 * The SDK does not reopen a lost link, so the receiver does, at the next sequence number. It does so after a transient
 * failure (with growing pauses, or `BackOff.BusyPause`), after a lost connection (which ends the link
 * without an error), and when the link's credit no longer fits the size of the events.
 *
 * @param fromSeqNo          where to start
 * @param onTooManyReceivers called when the service refuses the link because the partition has too many
 */
private[spark] final class CachedEventHubsReceiver(
    val key: ReceiverKey,
    fromSeqNo: Long,
    lease: ClientLease,
    creditPolicy: LinkCreditPolicy,
    timeouts: ReceiverTimeouts,
    clock: Clock,
    onTooManyReceivers: () => Unit,
    onClosed: CachedEventHubsReceiver => Unit = _ => ()
) extends AutoCloseable
    with Logging {

  import CachedEventHubsReceiver._

  private var expected = fromSeqNo
  private var until = fromSeqNo
  private var isFollowed = false
  private var checkSizeIn = FirstSizeCheck
  private var eventsSinceCheck = 0L
  private var bytesSinceCheck = 0L
  private var reopened = 0

  /** Whether the link may use its whole credit before a task reads it. */
  private val hasReservation = new AtomicBoolean

  private var linkVerified = true
  private var firstOfLink = false

  /** An event that was read and belongs to the next range. */
  private var givenBack = Option.empty[Array[Byte]]

  /** When another link is opened after the end of the current one. */
  private var reopensAtMillis = Option.empty[Long]

  /** Whether a link of this receiver was asked whether events follow, and got no answer. */
  private var isDrainIgnored = false

  /** Whether the service has answered such a question before. Then it gets more time while events come. */
  private var isDrainAnswered = false
  private var boundsMillis = clock.getTimeMillis()

  /** What the receiver did for the current task. */
  val metrics = new ReceiverMetrics
  private val recovery = new LinkRecovery(key, timeouts, metrics, clock, onTooManyReceivers)

  private var link = open()

  /** Shows `link` to another thread, which may close the receiver while this one opens a link again. */
  @volatile private var lastLink = link
  creditPolicy.linkOpened()
  private val isClosed = new AtomicBoolean

  /** The event that the last `advance` found. */
  val event = new ReceivedEvent

  /** Sequence number of the first event not received yet. */
  def nextSeqNo: Long = expected

  def silenceMillis: Long = timeouts.silence.toMillis

  /**
   * What the partition retains now. Asks the service.
   *
   * @param abandoned checked often while the question waits for its answer
   */
  def bounds(abandoned: () => Boolean = Never): PartitionBounds =
    lease.client.partitionBounds(Seq(key.partitionId), abandoned)(key.partitionId)

  /**
   * Whether events may have expired before the current one unnoticed, so that the caller should ask: it is the first
   * one of its link, or the last time was a while ago, perhaps in an earlier range.
   */
  def mayHaveExpired(): Boolean = {
    val now = clock.getTimeMillis()
    val isDue = firstOfLink || now - boundsMillis >= BoundsFreshMillis
    if (isDue) boundsMillis = now
    isDue
  }

  /** The generation of the current hub. Asks the service. */
  def hubGeneration(abandoned: () => Boolean = Never): HubGeneration.CreatedAt =
    lease.client.hubProperties(abandoned).generation

  /** Whether an event has arrived that `advance` has not returned. */
  def hasEvent: Boolean = !link.queue.isEmpty

  /**
   * False after the first event of a new link, until `markLinkVerified`: its hub may not be that of `key.generation`.
   */
  def isLinkVerified: Boolean = linkVerified

  def markLinkVerified(): Unit = linkVerified = true

  /** The link's last failure since the last event. */
  def failure: Option[EventHubsException] = recovery.failure

  /**
   * The link as one that no task reads. None where its events would prove nothing: before the first one of a link, and
   * when any hub is meant.
   */
  private[receive] def idleLink: Option[IdleLink] =
    for (generation <- key.generation.created if link.hasDelivered && linkVerified)
      yield {
        val epoch = key.generation.epochOf(key.partitionId)
        new IdleLink(key.hub, generation, key.partitionId, epoch, expected, givenBack.size, link.queue)
      }

  /** How long the receiver may stay in the cache without a task. */
  def idleMillis: Long = timeouts.idle.toMillis

  /** Links opened after the first one. */
  def timesReopened: Int = reopened

  /** Whether another range can continue on the open link: this one was read to its end, or has no end. */
  def isContinuable: Boolean =
    !isClosed.get && (expected == until || until == Long.MaxValue) && !link.queue.hasEnded

  /**
   * Continues up to `untilSeqNo`, exclusive.
   *
   * @param isFollowed whether a later range continues there; its first events are prefetched and stay in the receiver
   */
  def startRange(untilSeqNo: Long, isFollowed: Boolean = true): Unit = {
    until = untilSeqNo
    this.isFollowed = isFollowed
    endReservation()
    recovery.rangeBegins()
    link.partitionEnd.withdraw()
    link.nextRangeCredit = nextRangeCredit(link.prefetchCount)
    link.requestMore(until - expected)
  }

  /** Requests the first events of a range that a task will read soon. It has `count` events. */
  def requestAhead(count: Long): Unit = {
    // The link may be older than the last larger events of the hub.
    val whole = math.min(link.prefetchCount, creditPolicy.prefetchCount)
    val share = creditPolicy.waitingCount(whole)
    if (math.min(whole.toLong, count) > share && !hasReservation.get) hasReservation.set(creditPolicy.reserveWhole())
    link.nextRangeCredit = math.min((if (hasReservation.get) whole else share).toLong, count).toInt
    link.requestMore(0)
  }

  private def endReservation(): Unit = if (hasReservation.getAndSet(false)) creditPolicy.endReservation()

  /**
   * Waits for the next event. Its sequence number is `nextSeqNo`, or larger after a gap, which the caller has to
   * explain.
   *
   * @param stopped whether the task was killed; checked while waiting
   * @return false when no event came within `timeouts.silence`, or when the service has refused the start position. The
   *         caller should check what the partition retains and call again
   * @throws EventHubsException when a failure is permanent, or transient for longer than `timeouts.operation`
   */
  def advance(stopped: () => Boolean): Boolean = advanceWithin(stopped, timeouts.silence.toMillis)

  /** Waits up to `millis` instead of `timeouts.silence`, otherwise as [[advance]]. */
  @tailrec
  def advanceWithin(stopped: () => Boolean, millis: Long): Boolean = {
    val next = take()
    if (next ne null) {
      decode(next)
      val seqNo = event.sequenceNumber
      // The service may begin with an older batch than the requested one (azure-sdk-for-java#29502).
      if (seqNo < expected) advanceWithin(stopped, millis)
      else {
        accept(seqNo)
        true
      }
    } else if (await(stopped, millis)) advanceWithin(stopped, millis)
    else false
  }

  /**
   * Returns the current event, which lies at or after the range's end. The next range, from `seqNo` on, begins with it.
   */
  def giveBack(seqNo: Long): Unit = {
    givenBack = Some(event.message)
    metrics.bytes -= event.bodyLength
    expected = seqNo
  }

  /** Continues at `seqNo`: the service has said that no event is before it. */
  def skipTo(seqNo: Long): Unit = expected = seqNo

  /**
   * Asks the service whether it has sent all events that exist, or listens to it for some time when it does not answer.
   * `advance` then returns early.
   */
  def askIfEmpty(): Unit = {
    // The answer to an older question would say nothing about the events since then.
    if (link.drain.isUnanswered) reopenAt(expected)
    if (!isDrainIgnored) link.partitionEnd.ask() else if (!isListening) link.partitionEnd.listen()
  }

  /** Whether the service does not answer, and its silence counts once it has lasted for long enough. */
  def isListening: Boolean = link.partitionEnd.isListening

  /**
   * Whether the partition delivers now: a link at its beginning brings an event. Silence alone may be a partition that
   * is down. Afterwards a new link continues where this one was.
   */
  def delivers(stopped: () => Boolean): Boolean = {
    val next = expected
    reopenAt(0)
    try advanceWithin(stopped, LinkDrain.listenFor(timeouts.operation).toMillis)
    finally reopenAt(next)
  }

  /**
   * Whether the service does not answer, and a link that was not asked has been open for as long as its silence would
   * have to last. Events may have come over it.
   */
  def hasListened: Boolean = !link.queue.hasEnded && link.partitionEnd.hasListened(clock.getTimeMillis())

  /** Whether the service still has to answer [[askIfEmpty]]. */
  def isQuestionOpen: Boolean = link.drain.isUnanswered

  /** Whether the last [[askIfEmpty]] still counts: its answer is under way, or is that no event follows. */
  def isAskedIfEmpty: Boolean = link.partitionEnd.isPending

  /** Whether the service has said so since the last question, and all events were taken. True once. */
  def takeEmpty(): Boolean = {
    checkEmpty(clock.getTimeMillis())
    val empty = link.partitionEnd.isReached(expected) && link.queue.isEmpty && givenBack.isEmpty
    if (empty) link.partitionEnd.withdraw()
    empty
  }

  private def checkEmpty(nowMillis: Long): Unit = if (!link.queue.hasEnded) {
    link.partitionEnd.check(nowMillis, expected)
    isDrainAnswered ||= link.drain.saysEmpty
    if (link.partitionEnd.isIgnored(nowMillis, isDrainAnswered)) {
      if (!isDrainIgnored)
        logInfo(s"The service does not say whether events follow for $key; a new link is listened to")
      isDrainIgnored = true
      reopenAt(expected)
      link.partitionEnd.listen()
    }
  }

  /** Closes the link and opens another one at `seqNo`: after a long silence, or to confirm a gap. */
  def reopenAt(seqNo: Long): Unit = {
    checkOpen()
    expected = seqNo
    givenBack = None
    reopensAtMillis = None
    link.queue.cancel()
    reopened += 1
    link = open()
    lastLink = link
    // The task may have ended in the meantime.
    if (isClosed.get) link.queue.cancel()
    checkOpen()
  }

  def hasClosed: Boolean = isClosed.get

  override def close(): Unit = {
    val first = !isClosed.getAndSet(true)
    CloseEach.steps(
      () => lastLink.queue.cancel(),
      () => lease.close(),
      () => endReservation(),
      () => if (first) creditPolicy.linkClosed(),
      () => onClosed(this)
    )
  }

  /** Another thread than the task's may still read when the task ends, such as that of `RDD.pipe`. */
  private def checkOpen(): Unit =
    if (isClosed.get) throw new InterruptedException(s"the task that read $key has ended")

  private def take(): Array[Byte] =
    if (givenBack.isDefined) {
      val event = givenBack.get
      givenBack = None
      event
    } else {
      val next = link.queue.poll()
      if (next ne null) link.taken(next.length, until - expected - 1)
      next
    }

  private def decode(next: Array[Byte]): Unit =
    try event.set(next)
    catch {
      case malformed: MalformedMessageException =>
        throw EventHubsErrors.malformedEvent(key.hub, key.partitionId, expected, malformed)
    }

  private def accept(seqNo: Long): Unit = {
    firstOfLink = !link.hasDelivered
    if (firstOfLink) {
      link.hasDelivered = true
      linkVerified = false
    }
    expected = seqNo + 1
    recovery.succeeded()
    eventsSinceCheck += 1
    bytesSinceCheck += event.encodedLength
    metrics.bytes += event.bodyLength
    // Large events must not fill the heap before the next regular check.
    if (eventsSinceCheck >= checkSizeIn || bytesSinceCheck > creditPolicy.bufferBytes) checkSize()
  }

  private def nextRangeCredit(prefetchCount: Int): Int = if (isFollowed) creditPolicy.waitingCount(prefetchCount) else 0

  private def checkSize(): Unit = {
    creditPolicy.learn(eventsSinceCheck, bytesSinceCheck)
    eventsSinceCheck = 0
    bytesSinceCheck = 0
    checkSizeIn = SizeCheckEvery
    if (creditPolicy.isMisfit(link.prefetchCount)) {
      val credit = creditPolicy.prefetchCount
      logDebug(s"The credit of $key, ${link.prefetchCount}, becomes $credit")
      if (!link.canGrowTo(credit)) reopenAt(expected)
      else {
        link.growTo(credit)
        link.nextRangeCredit = nextRangeCredit(credit)
        link.requestMore(until - expected)
      }
    }
  }

  /** Waits for an event and reopens the link when it ends. False when none came within `millis`. */
  private def await(stopped: () => Boolean, millis: Long): Boolean = {
    val silentFrom = clock.getTimeMillis()
    link.requestMore(until - expected)
    recovery.waitBegins()
    checkEmpty(silentFrom)
    var silent = false
    var refused = false
    while (link.queue.isEmpty && !silent && !refused && !link.partitionEnd.isReached(expected)) {
      checkOpen()
      if (stopped()) throw new InterruptedException(s"the task was stopped while it waited for $key")
      if (Thread.interrupted()) throw new InterruptedException(s"interrupted while waiting for $key")
      link.queue.ended match {
        case Some(ending) =>
          if (reopensAtMillis.isEmpty)
            reopensAtMillis = Some(clock.getTimeMillis() + recovery.delay(ending, link, expected))
          // A caller that waits for nothing has other links to look at.
          if (millis > 0) recovery.sleepUntil(reopensAtMillis.get, stopped)
          if (reopensAtMillis.exists(clock.getTimeMillis() >= _)) {
            reopenAt(expected)
            // The partition ends before the start position. The caller should check at once what it retains.
            refused = LinkRecovery.isBeyondEnd(ending)
          }
        case None =>
          link.window.readerWaits()
          // An answer to an older question may have taken the credit back.
          link.requestMore(until - expected)
          link.queue.park(TimeUnit.MILLISECONDS.toNanos(millis), until - expected)
      }
      val now = clock.getTimeMillis()
      checkEmpty(now)
      silent = now - silentFrom >= millis
    }
    metrics.waitedMillis += clock.getTimeMillis() - silentFrom
    // Not the clock: a new link may have brought events although opening it took longer than `millis`.
    !refused && !link.queue.isEmpty
  }

  private def open(): OpenLink = {
    metrics.linksOpened += 1
    val prefetch = creditPolicy.prefetchCount
    val opened = new OpenLink(
      prefetch,
      math.max(prefetch, creditPolicy.capacity),
      ReceiveLink.window(creditPolicy.bufferBytes),
      clock.getTimeMillis(),
      timeouts.operation
    )
    lease.client.subscribe(
      ReceiveLink(key.consumerGroup, key.partitionId, expected, key.ownerLevel, opened.window, Some(opened.drain)),
      opened.queue
    )
    opened.nextRangeCredit = nextRangeCredit(prefetch)
    opened.requestMore(until - expected)
    opened
  }
}

private object CachedEventHubsReceiver {

  private val Never: () => Boolean = () => false

  /** Early, because the first link has the small credit for events of the largest size. */
  private val FirstSizeCheck = 16
  private val SizeCheckEvery = 4096

  /** How long an answer about the retained events is taken for true. */
  private val BoundsFreshMillis = 10000L
}
