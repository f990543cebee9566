package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.amqp.OutgoingEvent

/** Events that travel in one AMQP message, to one destination. Used by one thread at a time. */
private[spark] trait EventBatch {

  def tryAdd(event: OutgoingEvent): EventBatch.AddResult

  /** Number of events. */
  def count: Int

  /** Current size on the wire. */
  def bytes: Int

  /** Largest size on the wire. */
  def maxBytes: Int

  /** The array that holds the batch, where another batch may use it once this one is confirmed. */
  def buffer: Option[Array[Byte]] = None

  /** Whether [[number]] can be called: the batch was made for an idempotent link. */
  def isNumbered: Boolean = false

  /**
   * Numbers the events of a batch of an idempotent link, from `first` on. Called before each attempt to send it.
   *
   * @param id    of the producer
   * @param epoch of the producer
   */
  def number(id: Long, epoch: Short, first: Int): Unit =
    throw new UnsupportedOperationException("this batch is not of an idempotent link")

  /** Continues in this array if it is larger than the current one. */
  def useBuffer(larger: Array[Byte]): Unit = ()
}

private[spark] object EventBatch {

  sealed trait AddResult
  case object Added extends AddResult

  /** The event fits into an empty batch, but no longer into this one. */
  case object Full extends AddResult

  /** The event does not fit into an empty batch either. */
  case object TooLarge extends AddResult
}
