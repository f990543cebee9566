package org.apache.spark.eventhubs.send

import java.util.ArrayDeque

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampProperty}
import org.apache.spark.eventhubs.connection.EventBatch
import org.apache.spark.eventhubs.options.WriteDestination

/**
 * The batches for one destination: the open one, which is filled, and the full ones in the order in which they are
 * sent. A partition or key has one batch on the wire at a time, so that a retried batch never lands behind its
 * successor. Without either the service promises no order, and batches overlap. Changed by [[HubWriter]] and
 * [[SendRules]].
 */
private[eventhubs] final class DestinationQueue(val destination: WriteDestination) {

  private var current = Option.empty[EventBatch]
  private var firstStamp = Option.empty[StampProperty]
  private var wasFull = false
  private var openedAt = 0L

  private val isOrdered = destination != WriteDestination.AnyPartition
  private val waiting = new ArrayDeque[InFlightBatch]
  private var onWire = 0
  private var notBefore = Option.empty[Long]

  def isIdle: Boolean = current.isEmpty && waiting.isEmpty && onWire == 0

  // The open batch.

  def isOpen: Boolean = current.isDefined

  /** Whether the destination has filled a batch: the next ones will be as large. */
  def fillsBatches: Boolean = wasFull

  /** Number of events in the open batch. */
  def count: Int = if (current.isDefined) current.get.count else 0

  /** Current size of the open batch on the wire. */
  def bytes: Int = if (current.isDefined) current.get.bytes else 0

  /** Largest size of the open batch on the wire. */
  def maxBytes: Int = if (current.isDefined) current.get.maxBytes else 0

  def openedNanos: Long = openedAt

  def open(batch: EventBatch, nowNanos: Long): Unit = {
    current = Some(batch)
    openedAt = nowNanos
  }

  /** Adds an event to the open batch. The first event of a batch gets the stamp that identifies the batch. */
  def tryAdd(event: OutgoingEvent): EventBatch.AddResult = {
    val batch = current.get
    val stamped =
      if (batch.count > 0 || event.stamp.isEmpty) event else event.copy(stamp = Some(event.stamp.get.ofBatch()))
    val result = batch.tryAdd(stamped)
    if (result == EventBatch.Added && batch.count == 1) firstStamp = stamped.stamp
    if (result == EventBatch.Full) wasFull = true
    result
  }

  /** Closes the open batch. None when it has no events. */
  def close(): Option[InFlightBatch] = {
    val closed = current.filter(_.count > 0).map(new InFlightBatch(this, _, firstStamp))
    current = None
    closed
  }

  // Full batches.

  def hasWaiting: Boolean = !waiting.isEmpty

  /** Whether a batch is sent at once although it is not full. Otherwise it is filled further instead. */
  def sendsAtOnce: Boolean = waiting.isEmpty && onWire < (if (isOrdered) 1 else DestinationQueue.MaxSmallOnWire)

  /** The end of the back-off: no batch starts before it. None when there is no back-off. */
  def notBeforeNanos: Option[Long] = notBefore

  def mayStart(nowNanos: Long): Boolean =
    !waiting.isEmpty && !(isOrdered && onWire > 0) && notBefore.forall(_ - nowNanos <= 0)

  /** The batch that is sent next. There must be one. */
  def next: InFlightBatch = waiting.peekFirst()

  def add(batch: InFlightBatch): Unit = waiting.addLast(batch)

  /** Takes the next batch, which is on the wire from now on. */
  def start(): InFlightBatch = {
    onWire += 1
    waiting.pollFirst()
  }

  /** One batch is no longer on the wire. */
  def attemptEnded(): Unit = onWire -= 1

  /** Puts a batch that is no longer on the wire back before its successors. */
  def putBack(batch: InFlightBatch): Unit = waiting.addFirst(batch)

  /** Removes a waiting batch, with the back-off if it was the last one. Nothing would end the back-off later. */
  def remove(batch: InFlightBatch): Unit = {
    waiting.remove(batch)
    if (waiting.isEmpty) notBefore = None
  }

  def backOffUntil(nanos: Long): Unit = notBefore = Some(nanos)

  /** Forgets a back-off that is over. */
  def endBackOff(nowNanos: Long): Unit = notBefore = notBefore.filter(_ - nowNanos > 0)

  def place: String = DestinationQueue.place(destination)
}

private[send] object DestinationQueue {

  /** Where no order is promised. More of them would cost more than the events in them. */
  private val MaxSmallOnWire = 4

  /** Names the destination in error texts. */
  def place(destination: WriteDestination): String = destination match {
    case WriteDestination.ToPartition(id) => s"partition $id"
    case WriteDestination.ByKey(key) => s"partition key '$key'"
    case WriteDestination.AnyPartition => "any partition"
  }
}
