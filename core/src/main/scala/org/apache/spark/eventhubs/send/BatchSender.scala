package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.{BackOff, EventHubsProducer, ProducerFailure, ProducerLease, SdkErrors}

/**
 * Brings full batches to the service: within the bounds on what is unanswered, in order per lane, again after a
 * failure that may pass. Used by the task's thread only; answers of the SDK's threads come through the inbox.
 *
 * @param onAccepted called for each batch that the service has accepted
 */
private[eventhubs] final class BatchSender(
    lease: ProducerLease,
    limits: SendLimits,
    inbox: SendResults,
    checkCancelled: () => Unit,
    doubts: Option[InDoubtBatchLookup],
    onAccepted: InFlightBatch => Unit
) {

  private val pace = new SendWindow(limits.maxInFlightBytes)
  private val lanesToStart = mutable.LinkedHashSet.empty[DestinationQueue]

  /** On the wire, the longest there first. */
  private val onWire = mutable.LinkedHashMap.empty[InFlightBatch, BatchSender.OnWire]

  /** Sent and not answered: nothing more is sent until it is known whether they are in the hub. */
  private val inDoubt = mutable.LinkedHashSet.empty[InFlightBatch]

  /** Handed in and not yet confirmed. */
  private var pendingBatches = 0
  private var pendingBytes = 0L
  private var pendingEvents = 0L
  private var totals = SendTotals.Zero
  private var firstError = Option.empty[EventHubsException]

  def sofar: SendTotals = totals

  /** Confirmed or not. */
  def submitted: SendTotals = totals.copy(
    events = totals.events + pendingEvents,
    bytes = totals.bytes + pendingBytes,
    batches = totals.batches + pendingBatches
  )

  /** Takes a full batch; waits while too much is unanswered. */
  def submit(shipment: InFlightBatch): Unit = {
    while (!hasRoom(shipment.bytes)) waitForAnswer()
    pendingBatches += 1
    pendingBytes += shipment.bytes
    pendingEvents += shipment.count
    shipment.acceptedAtStart = lease.accepted
    shipment.lane.waiting.addLast(shipment)
    startLane(shipment.lane)
    if (!shipment.lane.waiting.isEmpty) lanesToStart += shipment.lane
  }

  /** Deals with the answers that are there, without waiting. Called per event, so it must cost next to nothing. */
  def settle(): Unit = {
    firstError.foreach(throw _)
    if (pendingBatches > 0) {
      val answered = handleAll(inbox.poll())
      if (answered || (lanesToStart.nonEmpty && nextStart.exists(_ - inbox.nanoTime <= 0))) startLanes()
    }
  }

  /** Waits until everything is confirmed. */
  def awaitAll(): Unit = while (pendingBatches > 0) waitForAnswer()

  /** Waits, for a try's time at most, until all that is on the wire is answered. Also when the task is cancelled. */
  def awaitOnWire(): Unit = {
    val deadline = inbox.nanoTime + limits.sendTimeout.toNanos
    while (onWire.nonEmpty && inbox.nanoTime - deadline < 0)
      inbox.await(deadline - inbox.nanoTime).foreach(answer => onWire -= answer.shipment)
  }

  private def hasRoom(bytes: Int): Boolean = pendingBatches == 0 ||
    (pendingBytes + bytes <= limits.maxInFlightBytes && pendingBatches < limits.maxInFlightBatches)

  private def waitForAnswer(): Unit = {
    firstError.foreach(throw _)
    checkCancelled()
    startLanes()
    val untilStart = nextStart.fold(BatchSender.LookUpNanos)(_ - inbox.nanoTime)
    val answered = handleAll(inbox.await(math.max(0, math.min(BatchSender.LookUpNanos, untilStart))))
    if (!answered) giveUpOnSilence()
    startLanes()
  }

  /** The SDK bounds each send, so this does not happen; if it does, a task must not wait for ever. */
  private def giveUpOnSilence(): Unit = onWire.headOption.foreach { case (shipment, sent) =>
    if (inbox.nanoTime - sent.startedNanos > limits.sendTimeout.toNanos)
      giveUp(shipment, new TimeoutException(s"no answer within ${limits.sendTimeout}"))
  }

  private def handleAll(first: Option[SendResult]): Boolean = {
    var next = first
    while (next.isDefined) {
      next.foreach(handle)
      next = inbox.poll()
    }
    first.isDefined
  }

  /** When waiting lanes may go on although no answer comes: the end of a pause or of a back-off. */
  private def nextStart: Option[Long] =
    (pace.pauseEnds ++ lanesToStart.flatMap(_.notBeforeNanos)).reduceOption((a, b) => if (a - b < 0) a else b)

  private def startLanes(): Unit = {
    pace.endPause(inbox.nanoTime)
    if (inDoubt.nonEmpty && onWire.isEmpty) resolveDoubts()
    lanesToStart.filterInPlace { lane =>
      startLane(lane)
      !lane.waiting.isEmpty
    }
    ()
  }

  private def startLane(lane: DestinationQueue): Unit = {
    val now = inbox.nanoTime
    // Whatever else the lane waits for, this is no time any more at which anything could start.
    lane.notBeforeNanos = lane.notBeforeNanos.filter(_ - now > 0)
    while (inDoubt.isEmpty && lane.mayStart(now) && pace.mayStart(lane.waiting.peekFirst().bytes, now))
      start(lane.waiting.pollFirst())
  }

  private def start(shipment: InFlightBatch): Unit = {
    shipment.lane.inFlight += 1
    shipment.attempts += 1
    pace.started(shipment.bytes)
    val producer = lease.producer
    val started = inbox.nanoTime
    onWire(shipment) = BatchSender.OnWire(producer, started)
    def post(error: Option[Throwable]): Unit =
      inbox.post(SendResult(shipment, producer, error, started, inbox.nanoTime))
    try {
      producer.send(shipment.batch).whenComplete((_, error) => post(Option(error)))
      ()
    } catch { case NonFatal(error) => post(Some(error)) }
  }

  /** An answer that comes after its batch was taken for unanswered says nothing new. */
  private def handle(answer: SendResult): Unit =
    if (onWire.get(answer.shipment).exists(_.producer eq answer.producer)) answered(answer)

  private def answered(answer: SendResult): Unit = {
    val shipment = answer.shipment
    shipment.lane.inFlight -= 1
    onWire -= shipment
    answer.error match {
      case None =>
        pace.confirmed(shipment.bytes)
        lease.countAccepted()
        confirmed(shipment)
        onAccepted(shipment)
      case Some(error) => failed(answer, error)
    }
  }

  private def confirmed(shipment: InFlightBatch): Unit = {
    pendingBatches -= 1
    pendingBytes -= shipment.bytes
    pendingEvents -= shipment.count
    totals = totals + SendTotals(shipment.count.toLong, shipment.bytes.toLong, 1, 0, 0, 0)
  }

  /**
   * The connection is closed at once: what waits in it must not be sent after the look into the hub. So its other batches
   * are in doubt too; the SDK would leave some of them without an answer until their time is over.
   */
  private def doubt(shipment: InFlightBatch, producer: EventHubsProducer): Unit = {
    lease.replace(producer)
    inDoubt += shipment
    val others = onWire.collect { case (other, sent) if sent.producer eq producer => other }.toSeq
    onWire --= others
    others.foreach { other =>
      other.lane.inFlight -= 1
      other.lane.waiting.addFirst(other)
      pace.failed(other.bytes)
      inDoubt += other
      lanesToStart += other.lane
    }
  }

  private def resolveDoubts(): Unit = doubts.foreach { hub =>
    val unsure = inDoubt.toSeq.flatMap(shipment => shipment.firstStamp.map(shipment -> _))
    val stored = hub.areStored(unsure.map { case (shipment, stamp) => (stamp, shipment.lane.destination) })
    unsure.zip(stored).foreach { case ((shipment, _), isStored) =>
      if (isStored) {
        shipment.lane.waiting.remove(shipment)
        confirmed(shipment)
      }
    }
    inDoubt.clear()
  }

  private def failed(answer: SendResult, error: Throwable): Unit = {
    val shipment = answer.shipment
    ProducerFailure.of(error) match {
      case ProducerFailure.Throttled(pause) =>
        pace.throttled(shipment.bytes, pause, inbox.nanoTime)
        totals = totals.copy(throttled = totals.throttled + 1)
        // Others of this JVM were let through meanwhile: a slow service is no reason to give up.
        val accepted = lease.accepted
        if (accepted > shipment.acceptedAtStart) {
          shipment.acceptedAtStart = accepted
          shipment.spentNanos = 0
        }
        again(answer, error, pause.toNanos, BatchSender.BusyPatience)
      case ProducerFailure.Permanent =>
        pace.failed(shipment.bytes)
        giveUp(shipment, error)
      case failure =>
        pace.failed(shipment.bytes)
        totals = totals.copy(retried = totals.retried + 1)
        // One new link should do; when it did not, the client is not what it says it is.
        if (failure == ProducerFailure.ClientDead || shipment.attempts > 1) lease.replace(answer.producer)
        if (doubts.isDefined) doubt(shipment, answer.producer)
        again(answer, error, BackOff.nanos(shipment.attempts), patience = 1)
    }
  }

  /** @param patience of the time that the attempt and the wait take, one part in so many counts */
  private def again(answer: SendResult, error: Throwable, delayNanos: Long, patience: Int): Unit = {
    val shipment = answer.shipment
    shipment.spentNanos += (answer.endedNanos - answer.startedNanos + delayNanos) / patience
    if (shipment.spentNanos > limits.sendTimeout.toNanos) giveUp(shipment, error)
    // The pause that the service asked for is kept by all lanes together; it is in the pace as well.
    shipment.lane.notBeforeNanos = Some(inbox.nanoTime + delayNanos)
    shipment.lane.waiting.addFirst(shipment)
    lanesToStart += shipment.lane
  }

  private def giveUp(shipment: InFlightBatch, error: Throwable): Unit = {
    val tries = if (shipment.attempts == 1) "" else s" after ${shipment.attempts} attempts"
    val doing = s"writing ${shipment.count} events to ${shipment.lane.place}$tries " +
      s"(of this task ${totals.events} events were confirmed, $pendingEvents were not)"
    val failure = SdkErrors.translate(error, lease.hub, doing)
    firstError = Some(failure)
    throw failure
  }
}

private[eventhubs] object BatchSender {

  private final case class OnWire(producer: EventHubsProducer, startedNanos: Long)

  /**
   * A service that says that it is busy is there, and takes what it can from somebody, maybe of other executors: a task that
   * failed would only send all of its rows once more.
   */
  private val BusyPatience = 10

  /** How long a waiting task may go without noticing that it was cancelled. */
  private val LookUpNanos = Duration.ofMillis(ProducerCalls.LookUpMillis).toNanos
}
