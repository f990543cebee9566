package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.ByteBuffer

import org.apache.spark.eventhubs.client.{OutgoingStamp, ReceivedEvent, StampName}

/**
 * By what exactly once knows its events again: one binary application property of 37 bytes.
 *
 * @param tag      of the [[WriteName]]
 * @param task     index of the task in its stage
 * @param attempt  a random number of the task's attempt
 * @param sequence number of the event in its attempt
 */
private[eventhubs] final case class EventStamp(
    tag: Long,
    task: Int,
    attempt: Int,
    sequence: Int,
    fingerprint: Fingerprint
)

/** Writes the stamps of one attempt. Used by one thread. */
private[eventhubs] final class StampWriter(tag: Long, task: Int, attempt: Int) {

  // What the stamps of an attempt share is written once.
  private val stamp = ByteBuffer.allocate(EventStamp.Length)
    .put(EventStamp.Format).putLong(tag).putInt(task).putInt(attempt)
  private val own = stamp.position()

  def apply(sequence: Int, fingerprint: Fingerprint): OutgoingStamp = {
    stamp.putInt(own, sequence).putLong(own + 4, fingerprint.high).putLong(own + 12, fingerprint.low)
    OutgoingStamp(EventStamp.Property, stamp.array.clone())
  }
}

private[eventhubs] object EventStamp {

  val Property = StampName("spark-stamp")

  private[exactlyonce] val Format: Byte = 1
  private[exactlyonce] val Length = 37

  /** None for an event without a stamp, or with one that this version does not know. */
  def of(event: ReceivedEvent): Option[EventStamp] = OutgoingStamp.of(event, Property).flatMap(parse)

  def parse(bytes: Array[Byte]): Option[EventStamp] =
    Option.when(bytes.length == Length && bytes(0) == Format) {
      val in = ByteBuffer.wrap(bytes, 1, Length - 1)
      EventStamp(in.getLong, in.getInt, in.getInt, in.getInt, Fingerprint(in.getLong, in.getLong))
    }
}
