package org.apache.spark.eventhubs.send

import scala.collection.mutable

import org.apache.spark.eventhubs.amqp.{EventErrors, OutgoingEvent, StampProperty}
import org.apache.spark.eventhubs.connection.{EventBatch, ProducerLease}
import org.apache.spark.eventhubs.options.{OversizedEvents, WriteDestination}

/**
 * Writes the events of one task to one hub: fills batches per destination while full ones are sent. Events of one
 * partition or one key arrive in the order in which they were added. [[TaskBatches]] makes it, and sends the rest of
 * what was added. One thread uses it at a time.
 *
 * @param calls short calls to the service
 * @param task  limits the open batches and the unconfirmed ones over all hubs of the task
 */
private[spark] final class BatchAccumulator private[eventhubs] (
    lease: ProducerLease,
    limits: SendLimits,
    calls: ProducerCalls,
    task: TaskBatches,
    delivery: BatchDelivery
) {

  private val sender = task.sender.open(lease, delivery, reuseBuffer)
  private val partitioner = new Partitioner(lease, calls, spreads = () => delivery.spreads)
  private val builders = mutable.LinkedHashMap.empty[WriteDestination, BatchBuilder]

  /** Most events have the destination of the event before, or there is only one destination. */
  private var lastBuilder = Option.empty[BatchBuilder]

  /**
   * @param partition of the event, if it names one
   * @throws org.apache.spark.eventhubs.EventHubsException when this event cannot be sent, or sending failed before
   */
  def add(event: OutgoingEvent, partition: Option[String]): Unit =
    // No closure for each event where nothing lingers.
    if (limits.linger.isEmpty) addNow(event, partition) else task.inTurn(addNow(event, partition))

  private def addNow(event: OutgoingEvent, partition: Option[String]): Unit = {
    task.sender.handleResults()
    val builder = builderFor(partitioner.destination(event, partition))
    val result = tryAdd(builder, event) match {
      case EventBatch.Full =>
        submit(builder)
        tryAdd(builder, event)
      case other => other
    }
    if (result != EventBatch.Added) handleTooLarge(builder, event)
    else if (limits.linger.isDefined) task.added(builder, this)
    task.keepLimits()
  }

  /** Whether this batch, which need not be full, would be sent at once. */
  private[send] def sendsAtOnce(builder: BatchBuilder, mayWait: Boolean): Boolean =
    task.sender.hasRoom(builder.bytes) && sender.sendsAtOnce(builder.queue, builder.bytes, mayWait)

  private[send] def openBuilders: Iterator[BatchBuilder] = builders.valuesIterator.filter(_.isOpen)

  private[send] def submit(builder: BatchBuilder): Unit = if (builder.isOpen) {
    task.closed(builder)
    builder.close().foreach(task.sender.submit(sender, _))
    partitioner.batchEnded(builder.queue.destination)
  }

  private[send] def submitAll(): Unit = openBuilders.foreach(submit)

  private[send] def clear(): Unit = {
    builders.clear()
    lastBuilder = None
  }

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
    task.grew(builder.bytes - before)
    result
  }

  private def open(builder: BatchBuilder): Unit = {
    val queue = builder.queue
    val batch = delivery.newBatch(queue.destination)
    if (builder.fillsBatches) task.buffers.acquire().foreach(batch.useBuffer)
    builder.start(batch, if (limits.linger.isEmpty) 0 else task.now())
    task.opened(batch.bytes)
  }

  /** An earlier attempt may still reference a retried batch's array. */
  private def reuseBuffer(accepted: InFlightBatch): Unit =
    if (accepted.attempts == 1 && builders.get(accepted.queue.destination).exists(_.fillsBatches))
      accepted.batch.buffer.foreach(task.buffers.release)

  private def handleTooLarge(builder: BatchBuilder, event: OutgoingEvent): Unit = limits.oversized match {
    case OversizedEvents.Drop =>
      task.dropped()
      // The batch is empty. The next one is created for its link, which may allow larger events than this one's.
      submit(builder)
    case OversizedEvents.Fail =>
      throw EventErrors.eventTooLarge(lease.hub, builder.queue.place, event.approximateBytes, builder.maxBytes)
  }
}

/** The batch that is being filled for one destination. Changed by [[BatchAccumulator]] alone. */
private[eventhubs] final class BatchBuilder(val queue: DestinationQueue) {

  private var open = Option.empty[EventBatch]
  private var firstStamp = Option.empty[StampProperty]
  private var wasFull = false
  private var startedNanos = 0L

  def isOpen: Boolean = open.isDefined

  /** Whether the destination has filled a batch: the next ones will be as large. */
  def fillsBatches: Boolean = wasFull

  /** Number of events in the open batch. */
  def count: Int = if (open.isDefined) open.get.count else 0

  /** Current size of the open batch on the wire. */
  def bytes: Int = if (open.isDefined) open.get.bytes else 0

  /** Largest size of the open batch on the wire. */
  def maxBytes: Int = if (open.isDefined) open.get.maxBytes else 0

  /** When the open batch was started. */
  def openedNanos: Long = startedNanos

  def start(batch: EventBatch, nowNanos: Long): Unit = {
    open = Some(batch)
    startedNanos = nowNanos
  }

  /** Adds an event to the open batch. The first event of a batch gets the stamp that identifies the batch. */
  def tryAdd(event: OutgoingEvent): EventBatch.AddResult = {
    val batch = open.get
    val stamped =
      if (batch.count > 0 || event.stamp.isEmpty) event else event.copy(stamp = Some(event.stamp.get.ofBatch()))
    val result = batch.tryAdd(stamped)
    if (result == EventBatch.Added && batch.count == 1) firstStamp = stamped.stamp
    if (result == EventBatch.Full) wasFull = true
    result
  }

  /** Closes the open batch. None when it has no events. */
  def close(): Option[InFlightBatch] = {
    val closed = open.filter(_.count > 0).map(new InFlightBatch(queue, _, firstStamp))
    open = None
    closed
  }
}
