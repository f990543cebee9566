package org.apache.spark.eventhubs.send

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampProperty}
import org.apache.spark.eventhubs.connection.EventBatch

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
