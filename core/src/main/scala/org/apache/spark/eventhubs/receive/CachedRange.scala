package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.amqp.ReceivedEvent

/** The events of one range in memory, in order, for any number of passes. */
private[eventhubs] final class CachedRange(events: IndexedSeq[Array[Byte]], val heapBytes: Long) {

  def length: Int = events.length

  def cursor(): CachedRangeCursor = new CachedRangeCursor(events)
}

/** One pass over a [[CachedRange]]. */
private[eventhubs] final class CachedRangeCursor(events: IndexedSeq[Array[Byte]]) {
  private var next = 0

  /** The event that the last `advance` found. */
  val event = new ReceivedEvent

  def advance(): Boolean = next < events.length && {
    event.set(events(next))
    next += 1
    true
  }
}
