package org.apache.spark.eventhubs.send

import java.time.Duration

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.background.Background
import org.apache.spark.eventhubs.connection.ProducerLease
import org.apache.spark.eventhubs.retry.{CancellableWait, MonotonicClock}
import org.apache.spark.util.Clock

/**
 * Sends the batches of one task, to all its hubs, as the [[SendRules]] of each hub decide. When [[flush]] returns, all
 * events are confirmed; when anything throws, some may be in their hub and some not.
 *
 * It works serially: one thread at a time. That is the task's thread, which fills the batches and waits for room. Where
 * batches linger, the task's thread lets background threads take turns while it waits for its next row: they send
 * batches that have waited long enough, and send again what was refused. Only the task's thread waits, for the outcome
 * of batches in doubt and for links. Then nothing is sent to the other hubs either.
 *
 * @param results    of the sends to all hubs
 * @param permit     asked before each batch is given to a connection, and in each wait
 * @param background used where batches linger
 */
private[spark] final class Sender private[eventhubs] (
    limits: SendLimits,
    results: SendResults,
    private[send] val clock: Clock,
    private[send] val permit: SendPermit,
    background: => Background
) extends AutoCloseable {

  private[send] val budget = new TaskBudget(limits)
  private[send] val buffers = new BufferPool(limits.maxInFlightBytes)
  private val hubs = mutable.ArrayBuffer.empty[HubWriter]

  /** The oldest first. */
  private val openBatches = mutable.LinkedHashMap.empty[DestinationQueue, HubWriter]
  private var failure = Option.empty[EventHubsException]
  private val turns = limits.linger.map(_ => new TaskTurns(background, clock, () => inBackground()))
  // For sends that the SDK has lost: nothing announces them.
  turns.foreach(_.wakeEvery(limits.silence.toNanos))

  // Set at their first use, so that an interrupt of `abandon` does not move them.
  private lazy val answersDeadline = clock.nanoTime() + Seq(limits.silence, limits.sendTimeout).min.toNanos
  private lazy val arrivalDeadline = {
    val now = clock.nanoTime()
    now + hubs.map(_.arrivalTime().toNanos).foldLeft(0L)((a, b) => math.max(a, b))
  }

  /**
   * The writer of one more hub.
   *
   * @param lease  of the hub's producer; its owner closes it, after [[flush]] or [[abandon]]
   * @param lookup finds out what became of batches without an answer; None sends them again
   */
  def to(lease: ProducerLease, lookup: Option[InDoubtBatchLookup] = None): HubWriter = whole {
    val calls =
      new ProducerCalls(lease, limits.sendTimeout, Int.MaxValue, clock, () => permit.check(), waitsForBusy = true)
    val readBack = new ReadBackDelivery(lease, limits, calls, lookup, clock, permit)
    val delivery =
      if (limits.idempotent && lookup.isDefined) new IdempotentDelivery(lease, limits, calls, clock, readBack)
      else readBack
    val hub = new HubWriter(lease, limits, calls, delivery, this)
    hubs += hub
    hub
  }

  /** Totals of the confirmed events. */
  def totals: SendTotals = whole(budget.totals)

  /** Totals, assuming everything that was added is confirmed. */
  def expectedTotals: SendTotals = whole(budget.expected)

  /** Sends the open batches and waits until everything is confirmed. */
  def flush(): Unit = inTurn {
    openBatches.toList.foreach { case (queue, hub) => hub.submit(queue) }
    while (!budget.isAllConfirmed) waitForResult()
    hubs.foreach(_.clear())
  }

  /**
   * For a task that gives up, also when it is cancelled: sends nothing more, and waits for the results of all batches
   * on the wire until the SDK must have lost those that are left, and aborts the connections that gave none. When one
   * of them has stalled, waits until nothing of it can arrive, because the next attempt and the next run of the query
   * do not know about it.
   *
   * @throws java.lang.InterruptedException when the thread is interrupted; a repeat continues the wait
   */
  def abandon(): Unit = {
    close()
    while (hubs.exists(_.isOnWire) && clock.nanoTime() - answersDeadline < 0)
      results.await(answersDeadline - clock.nanoTime()).foreach(result => result.hub.noteAnswer(result))
    hubs.foreach(_.abortUnanswered())
    CancellableWait(clock, arrivalDeadline - clock.nanoTime(), checkCancelled = () => ())
    hubs.foreach(_.close())
  }

  /** Ends the work in the background. */
  override def close(): Unit = turns.foreach(_.end())

  // For the hubs' writers.

  private[send] def inTurn[A](use: => A): A = turns.fold(use)(_.inTurn(use))

  private[send] def opened(queue: DestinationQueue, hub: HubWriter): Unit = {
    budget.opened(queue.bytes)
    openBatches(queue) = hub
  }

  /** Sends the batch at once if it has lingered long enough; otherwise sees to it that it is sent in time. */
  private[send] def added(queue: DestinationQueue, hub: HubWriter): Unit = {
    val isDue = dueAt(queue) - clock.nanoTime() <= 0
    if (!isDue && queue.count == 1) turns.foreach(_.wakeAt(dueAt(queue)))
    if (isDue && sendsAtOnce(queue, hub, mayWait = true)) hub.submit(queue)
  }

  private[send] def closed(queue: DestinationQueue): Unit = {
    budget.closed(queue.bytes, queue.count)
    openBatches -= queue
  }

  /** Sends open batches when there are too many, or when they are too large together. */
  private[send] def keepLimits(): Unit = {
    if (budget.isTooMuchOpen) openBatches.toSeq.maxByOption(_._1.bytes).foreach { case (queue, hub) =>
      hub.submit(queue)
    }
    if (budget.areTooManyOpen) openBatches.headOption.foreach { case (queue, hub) => hub.submit(queue) }
  }

  /** Sends a full batch, or queues it. Waits while too much is unconfirmed. */
  private[send] def submit(hub: HubWriter, batch: InFlightBatch): Unit = {
    while (!budget.hasRoom(batch.bytes)) waitForResult()
    budget.submitted(batch)
    hub.start(batch)
  }

  /** For any thread. */
  private[send] def post(result: SendResult): Unit = {
    results.post(result)
    turns.foreach(_.wake())
  }

  private[send] def failed(error: EventHubsException): Nothing = {
    failure = Some(error)
    throw error
  }

  /** Handles the results that have arrived, without waiting. Called for each event, so it must be cheap. */
  private[send] def handleResults(): Unit = {
    check()
    if (!budget.isAllConfirmed) {
      val handled = handleAll(results.poll())
      if (handled || isStartDue) startAll(mayWait = true)
    }
  }

  private def whole[A](use: => A): A = turns.fold(use)(_.whole(use))

  private def waitForResult(): Unit = {
    check()
    permit.check()
    startAll(mayWait = true)
    val untilStart = earliest(hubs.iterator).fold(Sender.PollNanos)(_ - clock.nanoTime())
    val handled = handleAll(results.await(math.max(0, math.min(Sender.PollNanos, untilStart))))
    hubs.foreach(_.endLostAttempts())
    if (!handled) hubs.foreach(_.failOverdue())
    startAll(mayWait = true)
  }

  /**
   * Does what is due, and must not wait.
   *
   * @return when more is due even if no result arrives, as `nanoTime`
   */
  private def inBackground(): Option[Long] = {
    check()
    handleAll(results.poll())
    hubs.foreach(_.endLostAttempts())
    startAll(mayWait = false)
    // It may have passed since then, and counts too. What is left to the task has no time.
    val nextStart = earliest(hubs.iterator.filterNot(_.isLeftToTask))
    // One moment for both questions: a batch that became due between them would wait for the task's next row.
    val now = clock.nanoTime()
    // The others wait for a result, which wakes this work.
    openBatches.iterator.takeWhile { case (queue, _) => dueAt(queue) - now <= 0 }.toList.foreach { case (queue, hub) =>
      if (sendsAtOnce(queue, hub, mayWait = false)) hub.submit(queue)
    }
    val nextDue = openBatches.keysIterator.map(dueAt).find(_ - now > 0)
    (nextStart ++ nextDue).reduceOption((a, b) => if (a - b < 0) a else b)
  }

  private def dueAt(queue: DestinationQueue): Long = queue.openedNanos + limits.linger.fold(0L)(_.toNanos)

  /** Whether the open batch, which need not be full, would be sent at once. */
  private def sendsAtOnce(queue: DestinationQueue, hub: HubWriter, mayWait: Boolean): Boolean =
    budget.hasRoom(queue.bytes) && hub.sendsAtOnce(queue, mayWait)

  private def handleAll(first: Option[SendResult]): Boolean = {
    var next = first
    while (next.isDefined) {
      next.get.hub.handle(next.get)
      next = results.poll()
    }
    first.isDefined
  }

  private def startAll(mayWait: Boolean): Unit = hubs.foreach(_.startQueues(mayWait))

  /** Throws the error that ended the task, if there is one. */
  private def check(): Unit = if (failure.isDefined) throw failure.get

  /** It is asked for each event, so it makes no closures. */
  private def isStartDue: Boolean = {
    var i = 0
    var isDue = false
    while (i < hubs.length && !isDue) {
      if (hubs(i).isLeftToTask) isDue = true
      else if (hubs(i).hasWaiting) isDue = hubs(i).nextStart.exists(_ - clock.nanoTime() <= 0)
      i += 1
    }
    isDue
  }

  private def earliest(of: Iterator[HubWriter]): Option[Long] =
    of.flatMap(_.nextStart).reduceOption((a, b) => if (a - b < 0) a else b)
}

private[spark] object Sender {

  private val PollNanos = Duration.ofMillis(CancellableWait.PollMillis).toNanos

  def apply(limits: SendLimits, permit: SendPermit, background: => Background): Sender =
    new Sender(limits, SendResults(), new MonotonicClock, permit, background)
}
