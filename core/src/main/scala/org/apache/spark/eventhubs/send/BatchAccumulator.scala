package org.apache.spark.eventhubs.send

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.amqp.OutgoingEvent
import org.apache.spark.eventhubs.connection.{EventBatch, ProducerLease}
import org.apache.spark.eventhubs.options.{OversizedEvents, WriteDestination}
import org.apache.spark.util.{Clock, SystemClock}

/**
 * Writes the events of one task to one hub: fills batches per destination while full ones are sent. Events of one
 * partition or one key arrive in the order in which they were added. When [[flush]] returns, all are confirmed; when
 * anything throws, some may be in the hub and some not. Used by one thread.
 *
 * @param permit asked before each batch is given to a connection, and in each wait
 */
private[spark] final class BatchAccumulator private[eventhubs] (
    lease: ProducerLease,
    limits: SendLimits,
    results: SendResults,
    clock: Clock,
    permit: SendPermit,
    lookup: Option[InDoubtBatchLookup]
) {

  private val calls = new ProducerCalls(lease, limits.sendTimeout, Int.MaxValue, clock, () => permit.check())
  private val buffers = new BufferPool(limits.maxInFlightBytes)
  private val idempotent = Option.when(limits.idempotent && lookup.isDefined)(new IdempotentSends(lease, calls))
  private val sender = new BatchSender(lease, limits, results, clock, permit, lookup, idempotent, reuseBuffer)
  private val partitioner = new Partitioner(lease, calls, spreads = () => idempotent.exists(_.isGranted))
  private val builders = mutable.LinkedHashMap.empty[WriteDestination, BatchBuilder]

  /** Most events have the destination of the event before, or there is only one destination. */
  private var lastBuilder = Option.empty[BatchBuilder]
  private var openBatches = 0
  private var openBytes = 0L
  private var dropped = 0L

  /** Totals, assuming everything that was added is confirmed. */
  def expectedTotals: SendTotals = {
    val submitted = sender.submitted
    totals.copy(
      events = submitted.events + builders.valuesIterator.map(_.count.toLong).sum,
      bytes = submitted.bytes + openBytes,
      batches = submitted.batches + builders.valuesIterator.count(_.count > 0)
    )
  }

  /** Totals of the confirmed events. */
  def totals: SendTotals = sender.totals.copy(dropped = dropped)

  /**
   * @param partition of the event, if it names one
   * @throws org.apache.spark.eventhubs.EventHubsException when this event cannot be sent, or sending failed before
   */
  def add(event: OutgoingEvent, partition: Option[String]): Unit = {
    sender.handleResults()
    val builder = builderFor(partitioner.destination(event, partition))
    val result = tryAdd(builder, event) match {
      case EventBatch.Full =>
        submit(builder)
        tryAdd(builder, event)
      case other => other
    }
    if (result != EventBatch.Added) handleTooLarge(builder, event)
    if (openBytes > limits.maxInFlightBytes) submitLargest()
    if (openBatches > limits.maxOpenBatches) builders.valuesIterator.find(_.isOpen).foreach(submit)
  }

  /** Sends the open batches and waits until everything is confirmed. */
  def flush(): Unit = {
    builders.valuesIterator.filter(_.isOpen).foreach(submit)
    sender.awaitAll()
    builders.clear()
    lastBuilder = None
  }

  /** For a task that gives up: sends nothing more, and waits until nothing that it sent can still arrive. */
  def abandon(): Unit = sender.abandon()

  private def builderFor(destination: WriteDestination): BatchBuilder =
    if (lastBuilder.isDefined && (lastBuilder.get.queue.destination eq destination)) lastBuilder.get
    else {
      // Keys come and go, so the builders of idle ones must not stay.
      if (builders.size > 2 * limits.maxOpenBatches)
        builders.filterInPlace((_, builder) => builder.isOpen || !builder.queue.isIdle)
      val builder = builders.getOrElseUpdate(destination, new BatchBuilder(new DestinationQueue(destination)))
      lastBuilder = Some(builder)
      builder
    }

  private def tryAdd(builder: BatchBuilder, event: OutgoingEvent): EventBatch.AddResult = {
    if (!builder.isOpen) open(builder)
    val before = builder.bytes
    val result = builder.tryAdd(event)
    openBytes += builder.bytes - before
    result
  }

  private def open(builder: BatchBuilder): Unit = {
    val queue = builder.queue
    val batch = idempotent.flatMap(_.newBatch(queue.destination, limits.maxBatchBytes)).getOrElse(
      calls(s"opening a link to ${queue.place}")(_.newBatch(queue.destination, limits.maxBatchBytes))
    )
    if (builder.fillsBatches) buffers.acquire().foreach(batch.useBuffer)
    builder.start(batch)
    openBatches += 1
    openBytes += batch.bytes
  }

  /** An earlier attempt may still reference a retried batch's array. */
  private def reuseBuffer(accepted: InFlightBatch): Unit =
    if (accepted.attempts == 1 && builders.get(accepted.queue.destination).exists(_.fillsBatches))
      accepted.batch.buffer.foreach(buffers.release)

  private def submit(builder: BatchBuilder): Unit = if (builder.isOpen) {
    openBatches -= 1
    openBytes -= builder.bytes
    builder.close().foreach(sender.submit)
    partitioner.batchEnded(builder.queue.destination)
  }

  private def submitLargest(): Unit = builders.valuesIterator.maxByOption(_.bytes).foreach(submit)

  private def handleTooLarge(builder: BatchBuilder, event: OutgoingEvent): Unit = limits.oversized match {
    case OversizedEvents.Drop =>
      dropped += 1
      // The batch is empty. The next one is created for its link, which may allow larger events than this one's.
      submit(builder)
    case OversizedEvents.Fail =>
      throw EventHubsErrors.eventTooLarge(lease.hub, builder.queue.place, event.approximateBytes, builder.maxBytes)
  }
}

private[spark] object BatchAccumulator {

  /** @param lookup finds out what became of batches without an answer; None sends them again */
  def apply(
      lease: ProducerLease,
      limits: SendLimits,
      permit: SendPermit,
      lookup: Option[InDoubtBatchLookup] = None
  ): BatchAccumulator = new BatchAccumulator(lease, limits, SendResults(), new SystemClock, permit, lookup)
}
