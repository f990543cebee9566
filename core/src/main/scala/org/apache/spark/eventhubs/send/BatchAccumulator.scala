package org.apache.spark.eventhubs.send

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.amqp.OutgoingEvent
import org.apache.spark.eventhubs.connection.{EventBatch, ProducerLease}
import org.apache.spark.eventhubs.options.{OversizedEvents, WriteDestination}

/**
 * The events of one task on their way to one hub: filled into batches per destination, sent while more are filled.
 * Events of one partition or one key arrive in the order in which they were added. When [[flush]] returns, all are
 * confirmed; when anything throws, some may be in the hub and some not. Used by one thread.
 *
 * @param checkCancelled throws when the task is to stop; asked whenever this waits
 */
private[spark] final class BatchAccumulator private[eventhubs] (
    lease: ProducerLease,
    limits: SendLimits,
    inbox: SendResults,
    checkCancelled: () => Unit,
    doubts: Option[InDoubtBatchLookup] = None
) {

  private val calls = new ProducerCalls(lease, limits.sendTimeout, Int.MaxValue, inbox, checkCancelled)
  private val buffers = new BufferPool(limits.maxInFlightBytes)
  private val delivery = new BatchSender(lease, limits, inbox, checkCancelled, doubts, reuse)
  private val router = new Partitioner(lease, calls)
  private val lanes = mutable.LinkedHashMap.empty[WriteDestination, DestinationQueue]

  /** Most events go where the one before them went, or there is but one destination. */
  private var lastLane = Option.empty[DestinationQueue]
  private var openBatches = 0
  private var openBytes = 0L
  private var dropped = 0L

  /** What [[totals]] will be when all that was added is confirmed. */
  def taken: SendTotals = totals.copy(
    events = delivery.submitted.events + lanes.valuesIterator.flatMap(_.open).map(_.count.toLong).sum,
    bytes = delivery.submitted.bytes + openBytes,
    batches = delivery.submitted.batches + lanes.valuesIterator.flatMap(_.open).count(_.count > 0)
  )

  /** What is known to be in the hub, and what it took. */
  def totals: SendTotals = delivery.sofar.copy(dropped = dropped)

  /**
   * @param partition where the event is to go, if it says so
   * @throws org.apache.spark.eventhubs.EventHubsException when this event cannot be sent, or sending failed before
   */
  def add(event: OutgoingEvent, partition: Option[String]): Unit = {
    delivery.settle()
    val lane = laneTo(router.destination(event, partition))
    val added = put(lane, event) match {
      case EventBatch.Full =>
        lane.fillsBatches = true
        seal(lane)
        put(lane, event)
      case other => other
    }
    if (added != EventBatch.Yes) tooLarge(lane, event)
    if (openBytes > limits.maxInFlightBytes) sealLargest()
    if (openBatches > limits.maxOpenBatches) lanes.valuesIterator.find(_.open.isDefined).foreach(seal)
  }

  /** Sends what is left and waits until all is confirmed. */
  def flush(): Unit = {
    lanes.valuesIterator.filter(_.open.isDefined).foreach(seal)
    delivery.awaitAll()
    lanes.clear()
    lastLane = None
  }

  /** For a task that gives up: sends no more, and waits until the fate of what is on the wire is known. */
  def abandon(): Unit = delivery.awaitOnWire()

  private def laneTo(destination: WriteDestination): DestinationQueue =
    if (lastLane.isDefined && (lastLane.get.destination eq destination)) lastLane.get
    else {
      // Keys come and go; what is behind them must not stay.
      if (lanes.size > 2 * limits.maxOpenBatches) lanes.filterInPlace((_, lane) => !lane.isIdle)
      val lane = lanes.getOrElseUpdate(destination, new DestinationQueue(destination))
      lastLane = Some(lane)
      lane
    }

  private def put(lane: DestinationQueue, event: OutgoingEvent): EventBatch.Added = {
    val batch = if (lane.open.isDefined) lane.open.get else open(lane)
    val before = batch.bytes
    val sent =
      if (batch.count > 0 || event.stamp.isEmpty) event else event.copy(stamp = Some(event.stamp.get.ofBatch()))
    val added = batch.tryAdd(sent)
    openBytes += batch.bytes - before
    if (added == EventBatch.Yes && batch.count == 1) lane.firstStamp = sent.stamp
    added
  }

  private def open(lane: DestinationQueue): EventBatch = {
    val batch = calls(s"opening a link to ${lane.place}")(_.newBatch(lane.destination, limits.maxBatchBytes))
    if (lane.fillsBatches) buffers.take().foreach(batch.useBuffer)
    lane.open = Some(batch)
    openBatches += 1
    openBytes += batch.bytes
    batch
  }

  /** Of a batch that was sent more than once an earlier attempt may still hold the array. */
  private def reuse(accepted: InFlightBatch): Unit =
    if (accepted.attempts == 1 && accepted.lane.fillsBatches) accepted.batch.buffer.foreach(buffers.give)

  private def seal(lane: DestinationQueue): Unit = lane.open.foreach { batch =>
    lane.open = None
    openBatches -= 1
    openBytes -= batch.bytes
    if (batch.count > 0) delivery.submit(new InFlightBatch(lane, batch, lane.firstStamp))
  }

  private def sealLargest(): Unit = lanes.valuesIterator.maxByOption(_.open.fold(0)(_.bytes)).foreach(seal)

  private def tooLarge(lane: DestinationQueue, event: OutgoingEvent): Unit = limits.oversized match {
    case OversizedEvents.Drop =>
      dropped += 1
      // It is empty. The next one is made for its link, which may take more than this one's did.
      seal(lane)
    case OversizedEvents.Fail =>
      val limit = lane.open.fold(0)(_.maxBytes)
      throw EventHubsErrors.eventTooLarge(lease.hub, lane.place, event.roughBytes, limit)
  }
}

private[spark] object BatchAccumulator {

  /** @param doubts None sends a batch again whose answer was lost */
  def apply(
      lease: ProducerLease,
      limits: SendLimits,
      checkCancelled: () => Unit,
      doubts: Option[InDoubtBatchLookup] = None
  ): BatchAccumulator = new BatchAccumulator(lease, limits, SendResults(), checkCancelled, doubts)
}
