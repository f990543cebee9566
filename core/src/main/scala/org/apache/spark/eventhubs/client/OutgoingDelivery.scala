package org.apache.spark.eventhubs.client

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubsException

/**
 * Brings full batches to the service: within the bounds on what is unanswered, in order per lane, again after a
 * failure that may pass. Used by the task's thread only; answers of the SDK's threads come through the inbox.
 */
private[client] final class OutgoingDelivery(
    lease: ProducerLease,
    limits: OutgoingLimits,
    inbox: OutgoingInbox,
    checkCancelled: () => Unit
) {

  private val pace = new OutgoingPace(limits.maxInFlightBytes)
  private val lanesToStart = mutable.LinkedHashSet.empty[OutgoingLane]

  /** On the wire, the longest there first. */
  private val onWire = mutable.LinkedHashMap.empty[OutgoingShipment, Long]

  /** Handed in and not yet confirmed. */
  private var pendingBatches = 0
  private var pendingBytes = 0L
  private var pendingEvents = 0L
  private var totals = OutgoingTotals.Zero
  private var firstError = Option.empty[EventHubsException]

  def sofar: OutgoingTotals = totals

  /** Confirmed or not. */
  def submitted: OutgoingTotals = totals.copy(
    events = totals.events + pendingEvents,
    bytes = totals.bytes + pendingBytes,
    batches = totals.batches + pendingBatches
  )

  /** Takes a full batch; waits while too much is unanswered. */
  def submit(shipment: OutgoingShipment): Unit = {
    while (!hasRoom(shipment.bytes)) waitForAnswer()
    pendingBatches += 1
    pendingBytes += shipment.bytes
    pendingEvents += shipment.count
    shipment.confirmedAtStart = totals.batches
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

  private def hasRoom(bytes: Int): Boolean = pendingBatches == 0 ||
    (pendingBytes + bytes <= limits.maxInFlightBytes && pendingBatches < limits.maxInFlightBatches)

  private def waitForAnswer(): Unit = {
    firstError.foreach(throw _)
    checkCancelled()
    startLanes()
    val untilStart = nextStart.fold(OutgoingDelivery.LookUpNanos)(_ - inbox.nanoTime)
    val answered = handleAll(inbox.await(math.max(0, math.min(OutgoingDelivery.LookUpNanos, untilStart))))
    if (!answered) giveUpOnSilence()
    startLanes()
  }

  /** The SDK bounds each send, so this does not happen; if it does, a task must not wait for ever. */
  private def giveUpOnSilence(): Unit = onWire.headOption.foreach { case (shipment, started) =>
    if (inbox.nanoTime - started > limits.sendTimeout.toNanos)
      giveUp(shipment, new TimeoutException(s"no answer within ${limits.sendTimeout}"))
  }

  private def handleAll(first: Option[OutgoingAnswer]): Boolean = {
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
    lanesToStart.filterInPlace { lane =>
      startLane(lane)
      !lane.waiting.isEmpty
    }
    ()
  }

  private def startLane(lane: OutgoingLane): Unit = {
    val now = inbox.nanoTime
    while (lane.mayStart(now) && pace.mayStart(lane.waiting.peekFirst().bytes, now)) {
      lane.notBeforeNanos = None
      start(lane.waiting.pollFirst())
    }
  }

  private def start(shipment: OutgoingShipment): Unit = {
    shipment.lane.inFlight += 1
    shipment.attempts += 1
    pace.started(shipment.bytes)
    val producer = lease.producer
    val started = inbox.nanoTime
    onWire(shipment) = started
    def answered(error: Option[Throwable]): Unit =
      inbox.post(OutgoingAnswer(shipment, producer, error, started, inbox.nanoTime))
    try {
      producer.send(shipment.batch).whenComplete((_, error) => answered(Option(error)))
      ()
    } catch { case NonFatal(error) => answered(Some(error)) }
  }

  private def handle(answer: OutgoingAnswer): Unit = {
    val shipment = answer.shipment
    shipment.lane.inFlight -= 1
    onWire -= shipment
    answer.error match {
      case None =>
        pace.confirmed(shipment.bytes)
        pendingBatches -= 1
        pendingBytes -= shipment.bytes
        pendingEvents -= shipment.count
        totals = totals + OutgoingTotals(shipment.count.toLong, shipment.bytes.toLong, 1, 0, 0, 0)
      case Some(error) =>
        shipment.spentNanos += answer.endedNanos - answer.startedNanos
        failed(answer, error)
    }
  }

  private def failed(answer: OutgoingAnswer, error: Throwable): Unit = {
    val shipment = answer.shipment
    ProducerFailure.of(error) match {
      case ProducerFailure.Throttled(pause) =>
        pace.throttled(shipment.bytes, pause, inbox.nanoTime)
        totals = totals.copy(throttled = totals.throttled + 1)
        // Others of this task were let through meanwhile: a slow service is no reason to give up.
        if (totals.batches > shipment.confirmedAtStart) {
          shipment.confirmedAtStart = totals.batches
          shipment.spentNanos = 0
        }
        again(shipment, error, pause.toNanos)
      case ProducerFailure.Permanent =>
        pace.failed(shipment.bytes)
        giveUp(shipment, error)
      case failure =>
        pace.failed(shipment.bytes)
        totals = totals.copy(retried = totals.retried + 1)
        // One new link should do; when it did not, the client is not what it says it is.
        if (failure == ProducerFailure.ClientDead || shipment.attempts > 1) lease.replace(answer.producer)
        again(shipment, error, ProducerBackOff.nanos(shipment.attempts))
    }
  }

  private def again(shipment: OutgoingShipment, error: Throwable, delayNanos: Long): Unit = {
    shipment.spentNanos += delayNanos
    if (shipment.spentNanos > limits.sendTimeout.toNanos) giveUp(shipment, error)
    // The pause that the service asked for is kept by all lanes together; it is in the pace as well.
    shipment.lane.notBeforeNanos = Some(inbox.nanoTime + delayNanos)
    shipment.lane.waiting.addFirst(shipment)
    lanesToStart += shipment.lane
  }

  private def giveUp(shipment: OutgoingShipment, error: Throwable): Unit = {
    val tries = if (shipment.attempts == 1) "" else s" after ${shipment.attempts} attempts"
    val doing = s"writing ${shipment.count} events to ${shipment.lane.place}$tries " +
      s"(of this task ${totals.events} events were confirmed, $pendingEvents were not)"
    val failure = SdkErrors.translate(error, lease.hub, doing)
    firstError = Some(failure)
    throw failure
  }
}

private[client] object OutgoingDelivery {

  /** How long a waiting task may go without noticing that it was cancelled. */
  private val LookUpNanos = Duration.ofMillis(ProducerCalls.LookUpMillis).toNanos
}
