package org.apache.spark.eventhubs.send

import java.time.Duration

import scala.util.control.NonFatal

import org.apache.spark.eventhubs.connection.{EventHubsProducer, ProducerLease}
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * Sends the full batches of one task to one hub: does what its [[SendRules]] decide. One thread uses it at a time; the
 * SDK's threads hand over results through `results`. Batches in doubt, and a link that opens, hold up all hubs of the
 * task, because its thread waits.
 *
 * @param unconfirmed of the task, in all its hubs
 * @param permit      asked before each batch is given to a connection, and in each wait
 * @param onAccepted  called for each batch that the service has accepted
 */
private[eventhubs] final class HubSender(
    lease: ProducerLease,
    limits: SendLimits,
    unconfirmed: UnconfirmedBatches,
    results: SendResults,
    clock: Clock,
    permit: SendPermit,
    delivery: BatchDelivery,
    onAccepted: InFlightBatch => Unit
) extends Logging {
  import SendRules._

  private val rules = new SendRules(limits, unconfirmed, delivery.settleTime)

  private var leftToTask = false

  /** Whether batches wait for their first or next attempt. */
  def hasQueuesToStart: Boolean = rules.hasWaiting

  def isOnWire: Boolean = rules.isOnWire

  /**
   * Whether [[start]] would send a new batch at once.
   *
   * @param mayWait whether it may wait for a link
   */
  def sendsAtOnce(queue: DestinationQueue, bytes: Int, mayWait: Boolean): Boolean =
    rules.sendsAtOnce(queue, bytes, clock.nanoTime()) && (mayWait || isReady(queue))

  /** Sends a batch, or queues it. There is room for it. */
  def start(batch: InFlightBatch): Unit = {
    rules.add(batch, lease.accepted)
    startBatches(batch.queue)
  }

  /**
   * Sends what may be sent now.
   *
   * @param mayWait whether to wait for the outcome of batches in doubt, and for links. Otherwise what needs that is
   *                left for the next call
   */
  def startQueues(mayWait: Boolean): Unit = {
    leftToTask = !mayWait && (rules.hasDoubts || !rules.waitingAre(isReady))
    if (!leftToTask) {
      val doubts = rules.toResolve
      if (doubts.nonEmpty) resolve(doubts)
      rules.toStart(clock.nanoTime()).foreach(startBatches)
    }
  }

  /** Whether [[startQueues]] has left something to a call that may wait. */
  def isLeftToTask: Boolean = leftToTask

  private def isReady(queue: DestinationQueue): Boolean = delivery.isReady(queue.destination)

  /** When waiting queues may start even if no result arrives: when the service's pause or a back-off ends. */
  def nextStart: Option[Long] = rules.nextStart

  def handle(result: SendResult): Unit =
    perform(rules.ended(result.attempt, result.error, result.endedNanos, lease.accepted, clock.nanoTime()))

  def endLostAttempts(): Unit = perform(rules.endLostAttempts(lease.accepted, clock.nanoTime()))

  def failOverdue(): Unit = perform(rules.failOverdue(clock.nanoTime()))

  /** For a task that gives up, and starts nothing more. */
  def noteAnswer(result: SendResult): Unit = rules.endedLast(result.attempt, result.error)

  /** Aborts the connections that gave no answer, also where no others can be opened in their place. */
  def abortUnanswered(): Unit = rules.abandon().foreach { action =>
    try perform(action)
    catch { case NonFatal(failed) => logWarning(s"No connection replaces one to ${lease.hub}: ${failed.getMessage}") }
  }

  /** How long something may still arrive over the aborted connections. */
  def arrivalTime(): Duration = delivery.arrivalTime(rules.inDoubt)

  def close(): Unit = delivery.close()

  private def startBatches(queue: DestinationQueue): Unit = {
    var next = rules.next(queue, clock.nanoTime())
    while (next.isDefined) {
      delivery.prepare(next.get)
      permit.handOver(send(next.get))
      next = rules.next(queue, clock.nanoTime())
    }
  }

  private def send(batch: InFlightBatch): Unit = {
    val attempt = rules.started(batch, delivery.connection(batch), clock.nanoTime())
    def post(error: Option[Throwable]): Unit = {
      val ended = clock.nanoTime()
      // At once and in any thread, because other tasks that share the connection look. Also where nothing is ever in
      // doubt: the others may be of exactly-once writes.
      if (error.exists(isStall(_, ended - attempt.startedNanos, delivery.settleTime))) attempt.over.markStalled()
      results.post(SendResult(this, attempt, error, ended))
    }
    try {
      delivery.send(batch, attempt.over).whenComplete((_, error) => post(Option(error)))
      ()
    } catch { case NonFatal(error) => post(Some(error)) }
  }

  private def resolve(doubts: Seq[(InFlightBatch, EventHubsProducer)]): Unit = {
    val stored = delivery.stored(doubts)
    rules.resolved(stored)
    stored.foreach(accepted)
  }

  private def perform(actions: Seq[Action]): Unit = actions.foreach(perform(_))

  private def perform(action: Action): Unit = action match {
    case Accepted(batch) =>
      accepted(batch)
      onAccepted(batch)
    case LinkLost(batch) => delivery.linkLost(batch)
    case Stalled(connection) => connection.markStalled()
    case Replace(connection) => lease.replace(connection)
    case Fail(batch, error) => fail(batch, error)
  }

  private def accepted(batch: InFlightBatch): Unit = {
    lease.countAccepted()
    delivery.confirmed(batch)
  }

  private def fail(batch: InFlightBatch, error: Throwable): Unit = {
    val tries = if (batch.attempts == 1) "" else s" after ${batch.attempts} attempts"
    val doing = s"writing ${batch.count} events to ${batch.queue.place}$tries " +
      s"(of this task ${unconfirmed.totals.events} events were confirmed, ${unconfirmed.events} were not)"
    throw unconfirmed.failed(lease.failure(error, doing))
  }
}
