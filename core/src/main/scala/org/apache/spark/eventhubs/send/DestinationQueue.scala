package org.apache.spark.eventhubs.send

import java.util.ArrayDeque

import org.apache.spark.eventhubs.options.WriteDestination

/**
 * The full batches for one destination, in the order in which they are sent. A partition or key has one batch on the
 * wire at a time, so that a retried batch never lands behind its successor. Without either the service promises no
 * order, and batches overlap. Changed by [[BatchSender]] alone.
 */
private[eventhubs] final class DestinationQueue(val destination: WriteDestination) {

  private val isOrdered = destination != WriteDestination.AnyPartition
  private val waiting = new ArrayDeque[InFlightBatch]
  private var onWire = 0
  private var notBefore = Option.empty[Long]

  def hasWaiting: Boolean = !waiting.isEmpty

  def isIdle: Boolean = waiting.isEmpty && onWire == 0

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
