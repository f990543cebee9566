package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.{EventHubsProducer, ProducerFailure, ProducerLease, SdkErrors}
import org.apache.spark.eventhubs.retry.{BackOff, CancellableWait}
import org.apache.spark.util.Clock

/**
 * Sends full batches: within the limits on unconfirmed batches, and in order per destination. Retries after transient
 * failures. Only the task's thread uses it; the SDK's threads hand over results through `results`.
 *
 * @param permit     asked before each batch is given to a connection, and in each wait
 * @param idempotent sends the batches of idempotent producers
 * @param onAccepted called for each batch that the service has accepted
 */
private[eventhubs] final class BatchSender(
    lease: ProducerLease,
    limits: SendLimits,
    results: SendResults,
    clock: Clock,
    permit: SendPermit,
    lookup: Option[InDoubtBatchLookup],
    idempotent: Option[IdempotentSends],
    onAccepted: InFlightBatch => Unit
) {

  private val window = new SendWindow(limits.maxInFlightBytes)
  private val queuesToStart = mutable.LinkedHashSet.empty[DestinationQueue]

  /** On the wire, the oldest first. */
  private val onWire = mutable.LinkedHashMap.empty[InFlightBatch, BatchSender.OnWire]

  /** While there are any, nothing more is sent. */
  private val inDoubt = new InDoubtBatches(lookup, idempotent, lease.hub, clock, permit)

  /** Submitted and not yet confirmed. */
  private var pendingBatches = 0
  private var pendingBytes = 0L
  private var pendingEvents = 0L
  private var confirmedTotals = SendTotals.Zero
  private var firstError = Option.empty[EventHubsException]

  /** The connections whose last batches have an unknown result, once the task has given up. */
  private val unanswered = mutable.LinkedHashSet.empty[EventHubsProducer]
  private val unansweredBatches = mutable.LinkedHashSet.empty[InFlightBatch]

  // Set at their first use, so that an interrupt of `abandon` does not move them.
  private lazy val answersDeadline = clock.nanoTime() + limits.sendTimeout.toNanos
  private lazy val arrivalDeadline = {
    val now = clock.nanoTime()
    now + arrivalTime().toNanos
  }

  /** Totals of the confirmed batches. */
  def totals: SendTotals = confirmedTotals

  /** Totals, assuming every submitted batch is confirmed. */
  def submitted: SendTotals = confirmedTotals.copy(
    events = confirmedTotals.events + pendingEvents,
    bytes = confirmedTotals.bytes + pendingBytes,
    batches = confirmedTotals.batches + pendingBatches
  )

  /** Queues a full batch. Waits while too much is unconfirmed. */
  def submit(batch: InFlightBatch): Unit = {
    while (!hasRoom(batch.bytes)) waitForResult()
    pendingBatches += 1
    pendingBytes += batch.bytes
    pendingEvents += batch.count
    batch.startTimeLimit(lease.accepted)
    batch.queue.add(batch)
    startBatches(batch.queue)
    if (batch.queue.hasWaiting) queuesToStart += batch.queue
  }

  /** Handles the results that have arrived, without waiting. Called for each event, so it must be cheap. */
  def handleResults(): Unit = {
    firstError.foreach(throw _)
    if (pendingBatches > 0) {
      val handled = handleAll(results.poll())
      if (handled || (queuesToStart.nonEmpty && nextStart.exists(_ - clock.nanoTime() <= 0))) startQueues()
    }
  }

  /** Waits until everything is confirmed. */
  def awaitAll(): Unit = while (pendingBatches > 0) waitForResult()

  /**
   * For a task that gives up, also when it is cancelled: waits for the results of all batches on the wire, for at most
   * the send timeout, and aborts the connections that gave none. When one of them has stalled, waits until nothing of
   * it can arrive, because the next attempt and the next run of the query do not know about it.
   *
   * @throws java.lang.InterruptedException when the thread is interrupted; a repeat continues the wait
   */
  def abandon(): Unit = {
    unanswered ++= inDoubt.producers
    unansweredBatches ++= inDoubt.all
    while (onWire.nonEmpty && clock.nanoTime() - answersDeadline < 0)
      results.await(answersDeadline - clock.nanoTime()).filter(isCurrent).foreach { result =>
        onWire -= result.batch
        if (ProducerFailure.isNoAnswer(result.error)) {
          unanswered += result.producer
          unansweredBatches += result.batch
        }
      }
    onWire.foreach { case (batch, sent) =>
      sent.producer.markStalled()
      unanswered += sent.producer
      unansweredBatches += batch
    }
    unanswered.foreach(lease.replace)
    CancellableWait(clock, arrivalDeadline - clock.nanoTime(), checkCancelled = () => ())
    idempotent.foreach(_.close())
  }

  private def arrivalTime(): Duration = {
    val time = inDoubt.arrivalTime(unanswered)
    def calls = new ProducerCalls(lease, time, Int.MaxValue, clock, checkCancelled = () => ())
    if (!time.isZero && idempotent.exists(_.shutOut(unansweredBatches, calls))) Duration.ZERO else time
  }

  private def hasRoom(bytes: Int): Boolean = pendingBatches == 0 ||
    (pendingBytes + bytes <= limits.maxInFlightBytes && pendingBatches < limits.maxInFlightBatches)

  private def waitForResult(): Unit = {
    firstError.foreach(throw _)
    permit.check()
    startQueues()
    val untilStart = nextStart.fold(BatchSender.PollNanos)(_ - clock.nanoTime())
    val handled = handleAll(results.await(math.max(0, math.min(BatchSender.PollNanos, untilStart))))
    if (!handled) failOnSilence()
    startQueues()
  }

  /** The SDK limits the time of each send, so this should not happen. If it does, the task must not wait forever. */
  private def failOnSilence(): Unit = onWire.headOption.foreach { case (batch, sent) =>
    if (clock.nanoTime() - sent.startedNanos > limits.sendTimeout.toNanos)
      fail(batch, new TimeoutException(s"no answer within ${limits.sendTimeout}"))
  }

  private def handleAll(first: Option[SendResult]): Boolean = {
    var next = first
    while (next.isDefined) {
      next.foreach(handle)
      next = results.poll()
    }
    first.isDefined
  }

  /** When waiting queues may start even if no result arrives: when the service's pause or a back-off ends. */
  private def nextStart: Option[Long] =
    (window.pauseEnds ++ queuesToStart.flatMap(_.notBeforeNanos)).reduceOption((a, b) => if (a - b < 0) a else b)

  private def startQueues(): Unit = {
    window.endPause(clock.nanoTime())
    if (!inDoubt.isEmpty && onWire.isEmpty) resolveInDoubt()
    queuesToStart.filterInPlace { queue =>
      startBatches(queue)
      queue.hasWaiting
    }
    ()
  }

  private def startBatches(queue: DestinationQueue): Unit = {
    val now = clock.nanoTime()
    // Otherwise `nextStart` stays in the past while the queue waits for something else.
    queue.endBackOff(now)
    while (inDoubt.isEmpty && queue.mayStart(now) && window.mayStart(queue.next.bytes, now)) {
      idempotent.foreach(_.prepare(queue.next))
      permit.handOver(send(queue.start()))
    }
  }

  private def send(batch: InFlightBatch): Unit = {
    batch.startAttempt()
    window.started(batch.bytes)
    val producer = if (batch.batch.isNumbered) idempotent.get.connection(batch) else lease.producer
    val started = clock.nanoTime()
    onWire(batch) = BatchSender.OnWire(producer, started)
    def post(error: Option[Throwable]): Unit = {
      val result = SendResult(batch, producer, error, started, clock.nanoTime())
      inDoubt.noteFailure(result)
      results.post(result)
    }
    try {
      val sending = if (batch.batch.isNumbered) idempotent.get.send(batch) else producer.send(batch.batch)
      sending.whenComplete((_, error) => post(Option(error)))
      ()
    } catch { case NonFatal(error) => post(Some(error)) }
  }

  private def handle(result: SendResult): Unit = if (isCurrent(result)) handleCurrent(result)

  /** False for the late result of an attempt that already counts as unanswered. */
  private def isCurrent(result: SendResult): Boolean =
    onWire.get(result.batch).exists(_.producer eq result.producer)

  private def handleCurrent(result: SendResult): Unit = {
    val batch = result.batch
    batch.queue.attemptEnded()
    onWire -= batch
    result.error match {
      case None =>
        window.confirmed(batch.bytes)
        lease.countAccepted()
        confirm(batch)
        onAccepted(batch)
      case Some(error) => handleFailure(result, error)
    }
  }

  private def confirm(batch: InFlightBatch): Unit = {
    idempotent.foreach(_.confirmed(batch))
    pendingBatches -= 1
    pendingBytes -= batch.bytes
    pendingEvents -= batch.count
    confirmedTotals = confirmedTotals + SendTotals(batch.count.toLong, batch.bytes.toLong, 1, 0, 0, 0)
  }

  private def handleFailure(result: SendResult, error: Throwable): Unit = {
    val batch = result.batch
    ProducerFailure.of(error) match {
      case ProducerFailure.Throttled(pause) =>
        window.throttled(batch.bytes, pause, clock.nanoTime())
        confirmedTotals = confirmedTotals.copy(throttled = confirmedTotals.throttled + 1)
        // Does not fail while the service, although slow, accepts other batches of this JVM.
        batch.renewTimeLimit(lease.accepted)
        retry(result, error, pause.toNanos, BatchSender.BusyTimeDivisor)
      case ProducerFailure.Permanent =>
        window.failed(batch.bytes)
        fail(batch, error)
      case failure =>
        window.failed(batch.bytes)
        idempotent.foreach(_.failed(batch))
        confirmedTotals = confirmedTotals.copy(retried = confirmedTotals.retried + 1)
        // The first retry uses a new link. If that fails too, the client is replaced, whatever it reports.
        if (failure == ProducerFailure.ClientDead || batch.attempts > 1) lease.replace(result.producer)
        if (inDoubt.isChecked) markInDoubt(batch, result)
        retry(result, error, BackOff.ForSending.nanos(batch.attempts), timeDivisor = 1)
    }
  }

  /** @param timeDivisor divides the time of the attempt and of the wait before it counts towards the send timeout */
  private def retry(result: SendResult, error: Throwable, delayNanos: Long, timeDivisor: Int): Unit = {
    val batch = result.batch
    batch.addSpent((result.endedNanos - result.startedNanos + delayNanos) / timeDivisor)
    if (batch.spentNanos > limits.sendTimeout.toNanos) fail(batch, error)
    // A pause that the service asks for applies to all queues, so the window keeps it too.
    batch.queue.backOffUntil(clock.nanoTime() + delayNanos)
    putBack(batch)
  }

  private def putBack(batch: InFlightBatch): Unit = {
    batch.queue.putBack(batch)
    queuesToStart += batch.queue
  }

  /**
   * Aborts the connection at once, so that nothing that waits in it is sent after the lookup. Its other batches are
   * then in doubt too: for some of them the SDK reports no result before their timeout.
   */
  private def markInDoubt(batch: InFlightBatch, result: SendResult): Unit = {
    val producer = result.producer
    lease.replace(producer)
    inDoubt.add(batch, producer, result.endedNanos - result.startedNanos)
    val others = onWire.filter { case (_, sent) => sent.producer eq producer }.toSeq
    onWire --= others.map(_._1)
    others.foreach { case (other, sent) =>
      other.queue.attemptEnded()
      window.failed(other.bytes)
      inDoubt.add(other, producer, result.endedNanos - sent.startedNanos)
      putBack(other)
    }
  }

  private def resolveInDoubt(): Unit = inDoubt.resolve().foreach { batch =>
    batch.queue.remove(batch)
    confirm(batch)
  }

  private def fail(batch: InFlightBatch, error: Throwable): Unit = {
    val tries = if (batch.attempts == 1) "" else s" after ${batch.attempts} attempts"
    val doing = s"writing ${batch.count} events to ${batch.queue.place}$tries " +
      s"(of this task ${confirmedTotals.events} events were confirmed, $pendingEvents were not)"
    val failure = SdkErrors.translate(error, lease.hub, doing)
    firstError = Some(failure)
    throw failure
  }
}

private[eventhubs] object BatchSender {

  private final case class OnWire(producer: EventHubsProducer, startedNanos: Long)

  /**
   * A busy service still accepts what it can, perhaps from other executors. If a task failed, it would only send all of
   * its rows again. So waiting for a busy service counts less.
   */
  private val BusyTimeDivisor = 10

  private val PollNanos = Duration.ofMillis(CancellableWait.PollMillis).toNanos
}
