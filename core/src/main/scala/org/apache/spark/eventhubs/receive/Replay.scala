package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.amqp.ReceivedEvent

/** The events of one range, in order, to be read any number of times. */
final class Replay private[eventhubs] (events: IndexedSeq[Array[Byte]], val heapBytes: Long) {

  def length: Int = events.length

  def cursor(): ReplayCursor = new ReplayCursor(events)
}

/** One pass over a [[Replay]]. */
final class ReplayCursor private[eventhubs] (events: IndexedSeq[Array[Byte]]) {
  private var next = 0

  /** The event that the last `advance` stopped at. */
  val event = new ReceivedEvent

  def advance(): Boolean = next < events.length && {
    event.set(events(next))
    next += 1
    true
  }
}
