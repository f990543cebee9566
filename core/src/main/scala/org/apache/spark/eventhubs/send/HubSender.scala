package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.connection.{EventHubsProducer, ProducerFailure, ProducerLease}
import org.apache.spark.eventhubs.retry.{BackOff, BusyTime}
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * Sends the full batches of one task to one hub, in order per destination. Retries after transient failures. Only the
 * task's thread uses it; the SDK's threads hand over results through `results`. A busy service and a back-off hold up
 * this hub alone. Batches in doubt, and a link that opens, hold up all hubs of the task, because its thread waits.
 *
 * @param unconfirmed of the task, in all its hubs
 * @param permit      asked before each batch is given to a connection, and in each wait
 * @param idempotent  sends the batches of idempotent producers
 * @param onAccepted  called for each batch that the service has accepted
 */
private[eventhubs] final class HubSender(
    lease: ProducerLease,
    limits: SendLimits,
    unconfirmed: UnconfirmedBatches,
    results: SendResults,
    clock: Clock,
    permit: SendPermit,
    lookup: Option[InDoubtBatchLookup],
    idempotent: Option[IdempotentSends],
    onAccepted: InFlightBatch => Unit
) extends Logging {
  import HubSender.OnWire

  private val window = new SendWindow(limits.maxInFlightBytes)
  private val busy = new BusyTime
  private val queuesToStart = mutable.LinkedHashSet.empty[DestinationQueue]

  /** On the wire, the oldest first. */
  private val onWire = mutable.LinkedHashMap.empty[InFlightBatch, OnWire]

  private var leftToTask = false

  private val silenceNanos = limits.silence.toNanos

  /** While there are any, nothing more is sent. */
  private val inDoubt = new InDoubtBatches(lookup, idempotent, lease.hub, clock, permit)

  /** The connections whose last batches have an unknown result, once the task has given up. */
  private val unanswered = mutable.LinkedHashSet.empty[EventHubsProducer]
  private val unansweredBatches = mutable.LinkedHashSet.empty[InFlightBatch]

  /** Whether batches wait for their first or next attempt. */
  def hasQueuesToStart: Boolean = queuesToStart.nonEmpty

  def isOnWire: Boolean = onWire.nonEmpty

  /**
   * Whether [[start]] would send a new batch at once.
   *
   * @param mayWait whether it may wait for the link of an idempotent producer
   */
  def sendsAtOnce(queue: DestinationQueue, bytes: Int, mayWait: Boolean): Boolean = {
    val now = clock.nanoTime()
    inDoubt.isEmpty && queue.sendsAtOnce && queue.notBeforeNanos.forall(_ - now <= 0) &&
    window.mayStart(bytes, now) && (mayWait || isReady(queue))
  }

  /** Sends a batch, or queues it. There is room for it. */
  def start(batch: InFlightBatch): Unit = {
    batch.startTimeLimit(lease.accepted)
    batch.queue.add(batch)
    startBatches(batch.queue)
    if (batch.queue.hasWaiting) queuesToStart += batch.queue
  }

  /**
   * Sends what may be sent now.
   *
   * @param mayWait whether to wait for the outcome of batches in doubt, and for links of idempotent producers.
   *                Otherwise what needs that is left for the next call
   */
  def startQueues(mayWait: Boolean): Unit = {
    leftToTask = !mayWait && (!inDoubt.isEmpty || !queuesToStart.forall(isReady))
    if (!leftToTask) {
      window.endPause(clock.nanoTime())
      if (!inDoubt.isEmpty && onWire.isEmpty) resolveInDoubt()
      queuesToStart.filterInPlace { queue =>
        startBatches(queue)
        queue.hasWaiting
      }
      ()
    }
  }

  /** Whether [[startQueues]] has left something to a call that may wait. */
  def isLeftToTask: Boolean = leftToTask

  private def isReady(queue: DestinationQueue): Boolean = idempotent.forall(_.isReady(queue.destination))

  /** When waiting queues may start even if no result arrives: when the service's pause or a back-off ends. */
  def nextStart: Option[Long] =
    (window.pauseEnds ++ queuesToStart.flatMap(_.notBeforeNanos)).reduceOption((a, b) => if (a - b < 0) a else b)

  def handle(result: SendResult): Unit = if (isCurrent(result)) handleCurrent(result)

  /**
   * The SDK ends each attempt in time, so it has lost one that takes longer: the attempt counts as one without an
   * answer, and its batch is sent again over another connection. How late this is noticed does not count.
   */
  def endLostAttempts(): Unit = {
    val now = clock.nanoTime()
    def isLost(sent: OnWire) = now - sent.startedNanos > silenceNanos
    onWire.iterator.takeWhile { case (_, sent) => isLost(sent) }.toList.foreach { case (batch, sent) =>
      val ended = sent.startedNanos + silenceNanos
      val lost = SendResult(this, batch, sent.producer, Some(noAnswer(limits.silence)), sent.startedNanos, ended)
      inDoubt.noteFailure(lost)
      handle(lost)
    }
  }

  /** Where a batch has less time than the SDK has for one attempt. */
  def failOnSilence(): Unit = onWire.headOption.foreach { case (batch, sent) =>
    if (clock.nanoTime() - sent.startedNanos > limits.sendTimeout.toNanos) fail(batch, noAnswer(limits.sendTimeout))
  }

  private def noAnswer(within: Duration) = new TimeoutException(s"no answer within ${math.max(1, within.toSeconds)} s")

  /** The task gives up: nothing more is started, and [[noteAnswer]] takes the results. */
  def giveUp(): Unit = {
    unanswered ++= inDoubt.producers
    unansweredBatches ++= inDoubt.all
  }

  def noteAnswer(result: SendResult): Unit = if (isCurrent(result)) {
    onWire -= result.batch
    if (ProducerFailure.isNoAnswer(result.error)) {
      unanswered += result.producer
      unansweredBatches += result.batch
    }
  }

  /** Aborts the connections that gave no answer, also where no others can be opened in their place. */
  def abortUnanswered(): Unit = {
    onWire.foreach { case (batch, sent) =>
      sent.producer.markStalled()
      unanswered += sent.producer
      unansweredBatches += batch
    }
    unanswered.foreach { producer =>
      try lease.replace(producer)
      catch { case NonFatal(failed) => logWarning(s"No connection replaces one to ${lease.hub}: ${failed.getMessage}") }
    }
  }

  /** How long something may still arrive over the aborted connections. */
  def arrivalTime(): Duration = {
    val time = inDoubt.arrivalTime(unanswered)
    def calls = new ProducerCalls(lease, time, Int.MaxValue, clock, checkCancelled = () => ())
    if (!time.isZero && idempotent.exists(_.shutOut(unansweredBatches, calls))) Duration.ZERO else time
  }

  def close(): Unit = idempotent.foreach(_.close())

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
    if (batch.startAttempt()) unconfirmed.retried()
    window.started(batch.bytes)
    val producer = if (batch.batch.isNumbered) idempotent.get.connection(batch) else lease.producer
    val started = clock.nanoTime()
    onWire(batch) = OnWire(producer, started)
    def post(error: Option[Throwable]): Unit = {
      val result = SendResult(this, batch, producer, error, started, clock.nanoTime())
      inDoubt.noteFailure(result)
      results.post(result)
    }
    try {
      val sending = if (batch.batch.isNumbered) idempotent.get.send(batch) else producer.send(batch.batch)
      sending.whenComplete((_, error) => post(Option(error)))
      ()
    } catch { case NonFatal(error) => post(Some(error)) }
  }

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
    unconfirmed.confirmed(batch)
  }

  private def handleFailure(result: SendResult, reported: Throwable): Unit = {
    val batch = result.batch
    val error = if (inDoubt.isChecked) reported else ProducerFailure.reasonOfClose(reported)
    ProducerFailure.of(error) match {
      case ProducerFailure.Throttled(pause) =>
        window.throttled(batch.bytes, pause, clock.nanoTime())
        unconfirmed.throttled()
        // Does not fail while the service, although slow, accepts other batches of this JVM.
        batch.renewTimeLimit(lease.accepted)
        busy.add(result.startedNanos, result.endedNanos + pause.toNanos, lease.accepted)
        if (busy.exceeds(limits.sendTimeout)) fail(batch, error)
        backOff(batch, pause.toNanos)
      case ProducerFailure.Permanent =>
        window.failed(batch.bytes)
        fail(batch, error)
      case failure =>
        window.failed(batch.bytes)
        idempotent.foreach(_.failed(batch))
        batch.attemptLost()
        // The first retry after a lost link uses a new one. If that is lost too, the client is replaced.
        if (inDoubt.isChecked && failure == ProducerFailure.NotProcessed) inDoubt.addAnswered(batch, result.producer)
        else if (inDoubt.isChecked) markInDoubt(batch, result)
        else if (failure == ProducerFailure.ClientDead || (failure == ProducerFailure.Dropped && batch.attempts > 1))
          lease.replace(result.producer)
        val delay = BackOff.ForSending.nanos(batch.attempts)
        batch.addSpent(result.endedNanos - result.startedNanos + delay)
        if (batch.spentNanos > limits.sendTimeout.toNanos) fail(batch, error)
        backOff(batch, delay)
    }
  }

  /** A pause that the service asks for applies to all queues, so the window keeps it too. */
  private def backOff(batch: InFlightBatch, delayNanos: Long): Unit = {
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
    inDoubt.add(batch, producer, result.endedNanos - result.startedNanos)
    val others = onWire.filter { case (_, sent) => sent.producer eq producer }.toSeq
    onWire --= others.map(_._1)
    others.foreach { case (other, sent) =>
      other.queue.attemptEnded()
      window.failed(other.bytes)
      // It may have started after the result came, while the task waited for another hub.
      val unansweredNanos = math.max(0L, result.endedNanos - sent.startedNanos)
      other.addSpent(unansweredNanos)
      other.attemptLost()
      inDoubt.add(other, producer, unansweredNanos)
      putBack(other)
    }
    // Last: where no other connection can be opened this fails the task, which must know what is in doubt.
    lease.replace(producer)
  }

  private def resolveInDoubt(): Unit = inDoubt.resolve().foreach { batch =>
    batch.queue.remove(batch)
    lease.countAccepted()
    confirm(batch)
  }

  private def fail(batch: InFlightBatch, error: Throwable): Unit = {
    val tries = if (batch.attempts == 1) "" else s" after ${batch.attempts} attempts"
    val doing = s"writing ${batch.count} events to ${batch.queue.place}$tries " +
      s"(of this task ${unconfirmed.totals.events} events were confirmed, ${unconfirmed.events} were not)"
    throw unconfirmed.failed(lease.failure(error, doing))
  }
}

private[eventhubs] object HubSender {

  private final case class OnWire(producer: EventHubsProducer, startedNanos: Long)
}
