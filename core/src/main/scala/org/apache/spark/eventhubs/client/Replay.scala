package org.apache.spark.eventhubs.client

import scala.collection.mutable.ArrayBuffer

import com.azure.messaging.eventhubs.EncodedMessage

/** The events of one range, in order, to be read any number of times. */
final class Replay private[client] (events: IndexedSeq[EncodedMessage], val heapBytes: Long) {

  def length: Int = events.length

  def cursor(): ReplayCursor = new ReplayCursor(events)
}

/** One pass over a [[Replay]]. */
final class ReplayCursor private[client] (events: IndexedSeq[EncodedMessage]) {
  private var next = 0

  /** The event that the last `advance` stopped at. */
  val event = new ReceivedEvent

  def advance(): Boolean = next < events.length && {
    event.set(events(next))
    next += 1
    true
  }
}

/**
 * Collects events for a [[Replay]] while they are read for the first time, and gives up when they are too many.
 *
 * @param mostBytes of heap, as estimated
 */
final class ReplayRecorder(mostBytes: Long) {

  private var events = ArrayBuffer.empty[EncodedMessage]
  private var bytes = 0L

  def add(event: ReceivedEvent): Unit = if (bytes <= mostBytes) {
    bytes += event.message.bytes.length + ReplayRecorder.OverheadBytes
    if (bytes <= mostBytes) events += event.message else events = ArrayBuffer.empty
  }

  /** None when they were too many. */
  def result(): Option[Replay] = Option.when(bytes <= mostBytes)(new Replay(events.toIndexedSeq, bytes))
}

object ReplayRecorder {

  /** The objects around a message's bytes. */
  val OverheadBytes = 72
}
