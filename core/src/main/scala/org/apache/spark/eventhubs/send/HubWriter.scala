package org.apache.spark.eventhubs.send

import java.time.Duration

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.amqp.{EventErrors, OutgoingEvent}
import org.apache.spark.eventhubs.connection.{EventBatch, EventHubsProducer, ProducerLease}
import org.apache.spark.eventhubs.options.{OversizedEvents, WriteDestination}
import org.apache.spark.internal.Logging

/**
 * Writes the events of one task to one hub: fills batches per destination, and sends them when the task's [[Sender]]
 * says so and as its [[SendRules]] decide. Events of one partition or one key arrive in the order in which they were
 * added. One thread uses it at a time; the SDK's threads only post results.
 *
 * @param calls short calls to the service
 */
private[spark] final class HubWriter private[eventhubs] (
    lease: ProducerLease,
    limits: SendLimits,
    calls: ProducerCalls,
    delivery: BatchDelivery,
    sender: Sender
) extends Logging {
  import SendRules._

  private val rules = new SendRules(limits, sender.budget, delivery.settleTime)
  private val partitioner = new Partitioner(lease, calls, spreads = () => delivery.spreads)
  private val queues = mutable.LinkedHashMap.empty[WriteDestination, DestinationQueue]

  /** Most events have the destination of the event before, or there is only one destination. */
  private var last = Option.empty[DestinationQueue]
  private var leftToTask = false

  /**
   * @param partition of the event, if it names one
   * @throws org.apache.spark.eventhubs.EventHubsException when this event cannot be sent, or sending failed before
   */
  def add(event: OutgoingEvent, partition: Option[String]): Unit =
    // No closure for each event where nothing lingers.
    if (limits.linger.isEmpty) addNow(event, partition) else sender.inTurn(addNow(event, partition))

  private def addNow(event: OutgoingEvent, partition: Option[String]): Unit = {
    sender.handleResults()
    val queue = queueFor(partitioner.destination(event, partition))
    val result = tryAdd(queue, event) match {
      case EventBatch.Full =>
        submit(queue)
        tryAdd(queue, event)
      case other => other
    }
    if (result != EventBatch.Added) handleTooLarge(queue, event)
    else if (limits.linger.isDefined) sender.added(queue, this)
    sender.keepLimits()
  }

  private def queueFor(destination: WriteDestination): DestinationQueue =
    if (last.isDefined && (last.get.destination eq destination)) last.get
    else {
      // Keys come and go, so the queues of idle ones must not stay.
      if (queues.size > 2 * limits.maxOpenBatches) queues.filterInPlace((_, queue) => !queue.isIdle)
      val queue = queues.getOrElseUpdate(destination, new DestinationQueue(destination))
      last = Some(queue)
      queue
    }

  private def tryAdd(queue: DestinationQueue, event: OutgoingEvent): EventBatch.AddResult = {
    if (!queue.isOpen) open(queue)
    val before = queue.bytes
    val result = queue.tryAdd(event)
    if (result == EventBatch.Added) sender.budget.added(queue.bytes - before, queue.count)
    result
  }

  private def open(queue: DestinationQueue): Unit = {
    val batch = delivery.newBatch(queue.destination)
    if (queue.fillsBatches) sender.buffers.acquire().foreach(batch.useBuffer)
    queue.open(batch, if (limits.linger.isEmpty) 0 else sender.clock.nanoTime())
    sender.opened(queue, this)
  }

  private def handleTooLarge(queue: DestinationQueue, event: OutgoingEvent): Unit = limits.oversized match {
    case OversizedEvents.Drop =>
      sender.budget.dropped()
      // The batch is empty. The next one is created for its link, which may allow larger events than this one's.
      submit(queue)
    case OversizedEvents.Fail =>
      throw EventErrors.eventTooLarge(lease.hub, queue.place, event.approximateBytes, queue.maxBytes)
  }
  // For the sender.

  /** Closes the open batch, and gives it to the sender. */
  private[send] def submit(queue: DestinationQueue): Unit = if (queue.isOpen) {
    sender.closed(queue)
    queue.close().foreach(sender.submit(this, _))
    partitioner.batchEnded(queue.destination)
  }

  /** Sends a batch, or queues it. There is room for it. */
  private[send] def start(batch: InFlightBatch): Unit = {
    rules.add(batch, lease.accepted)
    startBatches(batch.queue)
  }

  /**
   * Sends what may be sent now.
   *
   * @param mayWait whether to wait for the outcome of batches in doubt, and for links. Otherwise what needs that is
   *                left for the next call
   */
  private[send] def startQueues(mayWait: Boolean): Unit = {
    leftToTask = !mayWait && (rules.hasDoubts || !rules.waitingAre(isReady))
    if (!leftToTask) {
      val inDoubt = rules.toResolve
      if (inDoubt.nonEmpty) resolve(inDoubt)
      rules.toStart(sender.clock.nanoTime()).foreach(startBatches)
    }
  }

  /** Whether [[startQueues]] has left something to a call that may wait. */
  private[send] def isLeftToTask: Boolean = leftToTask

  /**
   * Whether the open batch, which need not be full, would be sent at once.
   *
   * @param mayWait whether it may wait for a link
   */
  private[send] def sendsAtOnce(queue: DestinationQueue, mayWait: Boolean): Boolean =
    rules.sendsAtOnce(queue, queue.bytes, sender.clock.nanoTime()) && (mayWait || isReady(queue))

  private[send] def hasWaiting: Boolean = rules.hasWaiting

  private[send] def nextStart: Option[Long] = rules.nextStart

  private[send] def handle(result: SendResult): Unit = perform(
    rules.ended(result.attempt, result.error, result.endedNanos, lease.accepted, sender.clock.nanoTime())
  )

  private[send] def endLostAttempts(): Unit = perform(rules.endLostAttempts(lease.accepted, sender.clock.nanoTime()))

  private[send] def failOverdue(): Unit = perform(rules.failOverdue(sender.clock.nanoTime()))

  private[send] def clear(): Unit = {
    queues.clear()
    last = None
  }

  // For a task that gives up.

  private[send] def isOnWire: Boolean = rules.isOnWire

  private[send] def noteAnswer(result: SendResult): Unit = rules.endedLast(result.attempt, result.error)

  /** Aborts the connections that gave no answer, also where no others can be opened in their place. */
  private[send] def abortUnanswered(): Unit = rules.abandon().foreach { action =>
    try perform(action)
    catch { case NonFatal(failed) => logWarning(s"No connection replaces one to ${lease.hub}: ${failed.getMessage}") }
  }

  /** How long something may still arrive over the aborted connections. */
  private[send] def arrivalTime(): Duration = delivery.arrivalTime(rules.inDoubt)

  private[send] def close(): Unit = delivery.close()

  private def isReady(queue: DestinationQueue): Boolean = delivery.isReady(queue.destination)

  private def startBatches(queue: DestinationQueue): Unit = {
    var next = rules.next(queue, sender.clock.nanoTime())
    while (next.isDefined) {
      delivery.prepare(next.get)
      sender.permit.handOver(send(next.get))
      next = rules.next(queue, sender.clock.nanoTime())
    }
  }

  private def send(batch: InFlightBatch): Unit = {
    val attempt = rules.started(batch, delivery.connection(batch), sender.clock.nanoTime())
    def post(error: Option[Throwable]): Unit = {
      val ended = sender.clock.nanoTime()
      // At once and in any thread, because other tasks that share the connection look. Also where nothing is ever in
      // doubt: the others may be of exactly-once writes.
      if (error.exists(isStall(_, ended - attempt.startedNanos, delivery.settleTime))) attempt.over.markStalled()
      sender.post(SendResult(this, attempt, error, ended))
    }
    try {
      delivery.send(batch, attempt.over).whenComplete((_, error) => post(Option(error)))
      ()
    } catch { case NonFatal(error) => post(Some(error)) }
  }

  private def resolve(inDoubt: Seq[(InFlightBatch, EventHubsProducer)]): Unit = {
    val stored = delivery.stored(inDoubt)
    rules.resolved(stored)
    stored.foreach(accepted)
  }

  private def perform(actions: Seq[Action]): Unit = actions.foreach(perform(_))

  private def perform(action: Action): Unit = action match {
    case Accepted(batch) =>
      accepted(batch)
      reuseBuffer(batch)
    case LinkLost(batch) => delivery.linkLost(batch)
    case Stalled(connection) => connection.markStalled()
    case Replace(connection) => lease.replace(connection)
    case Fail(batch, error) => fail(batch, error)
  }

  private def accepted(batch: InFlightBatch): Unit = {
    lease.countAccepted()
    delivery.confirmed(batch)
  }

  /** An earlier attempt may still reference a retried batch's array. */
  private def reuseBuffer(accepted: InFlightBatch): Unit =
    if (accepted.attempts == 1 && accepted.queue.fillsBatches) accepted.batch.buffer.foreach(sender.buffers.release)

  private def fail(batch: InFlightBatch, error: Throwable): Unit = {
    val tries = if (batch.attempts == 1) "" else s" after ${batch.attempts} attempts"
    val doing = s"writing ${batch.count} events to ${batch.queue.place}$tries (of this task " +
      s"${sender.budget.totals.events} events were confirmed, ${sender.budget.unconfirmed} were not)"
    sender.failed(lease.failure(error, doing))
  }
}
