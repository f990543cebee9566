package org.apache.spark.eventhubs.send

import scala.collection.mutable

import org.apache.spark.eventhubs.background.{Background, TaskTurns}
import org.apache.spark.eventhubs.connection.ProducerLease
import org.apache.spark.eventhubs.retry.MonotonicClock
import org.apache.spark.util.Clock

/**
 * All batches of one writing task, with an accumulator for each hub. The limits on open and unconfirmed batches are
 * over all hubs. When [[flush]] returns, all events are confirmed; when anything throws, some may be in their hub and
 * some not. Used by the task's thread. Where batches linger, background threads take turns with it: they send batches
 * that have waited long enough, and send again what was refused. What they fail with is thrown by the next call.
 *
 * @param permit     asked before each batch is given to a connection, and in each wait
 * @param background used where batches linger
 */
private[spark] final class TaskBatches private[eventhubs] (
    limits: SendLimits,
    results: SendResults,
    clock: Clock,
    permit: SendPermit,
    background: => Background
) extends AutoCloseable {

  private val turns = limits.linger.map(_ => new TaskTurns(background, clock, () => advance()))
  private[send] val sender = {
    val awaking = turns.fold(results)(turns => SendResults.calling(() => turns.wake(), results))
    new BatchSender(limits, awaking, clock, permit)
  }
  private[send] val buffers = new BufferPool(limits.maxInFlightBytes)
  private val hubs = mutable.ArrayBuffer.empty[BatchAccumulator]

  /** The open batches that have events, the oldest first. Empty where batches do not linger. */
  private val lingering = mutable.LinkedHashMap.empty[BatchBuilder, BatchAccumulator]
  private var openBatches = 0
  private var openBytes = 0L
  private var droppedEvents = 0L

  // For sends that the SDK has lost: nothing announces them.
  turns.foreach(_.wakeEvery(limits.silence.toNanos))

  /**
   * The accumulator of one more hub.
   *
   * @param lease  of the hub's producer; its owner closes it, after [[flush]] or [[abandon]]
   * @param lookup finds out what became of batches without an answer; None sends them again
   */
  def to(lease: ProducerLease, lookup: Option[InDoubtBatchLookup] = None): BatchAccumulator = whole {
    val calls =
      new ProducerCalls(lease, limits.sendTimeout, Int.MaxValue, clock, () => permit.check(), waitsForBusy = true)
    val readBack = new ReadBackDelivery(lease, limits, calls, lookup, clock, permit)
    val delivery =
      if (limits.idempotent && lookup.isDefined) new IdempotentDelivery(lease, limits, calls, clock, readBack)
      else readBack
    val hub = new BatchAccumulator(lease, limits, calls, this, delivery)
    hubs += hub
    hub
  }

  /** Totals of the confirmed events. */
  def totals: SendTotals = whole(confirmed)

  /** Totals, assuming everything that was added is confirmed. */
  def expectedTotals: SendTotals = whole {
    val submitted = sender.submitted
    confirmed.copy(
      events = submitted.events + openBuilders.map(_.count.toLong).sum,
      bytes = submitted.bytes + openBytes,
      batches = submitted.batches + openBuilders.count(_.count > 0)
    )
  }

  /** Sends the open batches and waits until everything is confirmed. */
  def flush(): Unit = inTurn {
    hubs.foreach(_.submitAll())
    sender.awaitAll()
    hubs.foreach(_.clear())
  }

  /** For a task that gives up: sends nothing more, and waits until nothing that it sent can still arrive. */
  def abandon(): Unit = {
    close()
    sender.abandon()
  }

  /** Ends the work in the background. */
  override def close(): Unit = turns.foreach(_.end())

  private[send] def inTurn[A](use: => A): A = turns.fold(use)(_.inTurn(use))

  private[send] def now(): Long = clock.nanoTime()

  /** Sends the batch at once if it has lingered long enough; otherwise sees to it that it is sent in time. */
  private[send] def added(builder: BatchBuilder, hub: BatchAccumulator): Unit = {
    if (builder.count == 1) {
      lingering(builder) = hub
      if (!isDue(builder)) turns.foreach(_.wakeAt(dueAt(builder)))
    }
    if (isDue(builder) && hub.sendsAtOnce(builder, mayWait = true)) hub.submit(builder)
  }

  private[send] def opened(bytes: Int): Unit = {
    openBatches += 1
    openBytes += bytes
  }

  private[send] def grew(bytes: Int): Unit = openBytes += bytes

  private[send] def closed(builder: BatchBuilder): Unit = {
    openBatches -= 1
    openBytes -= builder.bytes
    lingering -= builder
  }

  private[send] def dropped(): Unit = droppedEvents += 1

  /** Sends open batches when there are too many, or when they are too large together. */
  private[send] def keepLimits(): Unit = {
    if (openBytes > limits.maxInFlightBytes) submit(_.maxByOption(_._2.bytes))
    if (openBatches > limits.maxOpenBatches) submit(_.find(_ => true))
  }

  private def submit(choose: Iterator[(BatchAccumulator, BatchBuilder)] => Option[(BatchAccumulator, BatchBuilder)]) =
    choose(hubs.iterator.flatMap(hub => hub.openBuilders.map(hub -> _))).foreach { case (hub, batch) =>
      hub.submit(batch)
    }

  private def whole[A](use: => A): A = turns.fold(use)(_.whole(use))

  private def confirmed: SendTotals = sender.totals.copy(dropped = droppedEvents)

  /** Work in the background. */
  private def advance(): Option[Long] = {
    val nextStart = sender.advance()
    // One moment for both questions: a batch that became due between them would wait for the task's next row.
    val now = clock.nanoTime()
    // The others wait for a result, which wakes this work.
    lingering.iterator.takeWhile { case (batch, _) => dueAt(batch) - now <= 0 }.toList.foreach { case (batch, hub) =>
      if (hub.sendsAtOnce(batch, mayWait = false)) hub.submit(batch)
    }
    val nextDue = lingering.keysIterator.map(dueAt).find(_ - now > 0)
    (nextStart ++ nextDue).reduceOption((a, b) => if (a - b < 0) a else b)
  }

  private def dueAt(builder: BatchBuilder): Long = builder.openedNanos + limits.linger.fold(0L)(_.toNanos)

  private def isDue(builder: BatchBuilder): Boolean = dueAt(builder) - clock.nanoTime() <= 0

  private def openBuilders: Iterator[BatchBuilder] = hubs.iterator.flatMap(_.openBuilders)
}

private[spark] object TaskBatches {

  def apply(limits: SendLimits, permit: SendPermit, background: => Background): TaskBatches =
    new TaskBatches(limits, SendResults(), new MonotonicClock, permit, background)
}
