package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.amqp.OutgoingEvent

/** Events that travel in one AMQP message, to one destination. Used by one thread at a time. */
private[spark] trait EventBatch {

  def tryAdd(event: OutgoingEvent): EventBatch.Added

  /** Number of events. */
  def count: Int

  /** Size on the wire, so far. */
  def bytes: Int

  /** Size on the wire, at most. */
  def maxBytes: Int

  /** What it is written into, where that may serve another batch once this one is confirmed. */
  def buffer: Option[Array[Byte]] = None

  /** Goes on in this array, where it is larger. */
  def useBuffer(larger: Array[Byte]): Unit = ()
}

private[spark] object EventBatch {

  sealed trait Added
  case object Yes extends Added

  /** There is no room left; an empty batch takes the event. */
  case object Full extends Added

  /** Not even an empty batch takes the event. */
  case object TooLarge extends Added
}
