package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.{BufferUnderflowException, ByteBuffer}
import java.util.Arrays

import org.apache.spark.eventhubs.client.{OutgoingStamp, ReceivedEvent, StampName}

/**
 * By what exactly once knows its events again: one binary application property. It holds nothing that can be found out from
 * the event, because each byte of it is sent and stored with each event; so the fingerprint of a body is not in it.
 *
 * @param tag      of the [[WriteName]]
 * @param task     index of the task in its stage
 * @param attempt  a random number of the task's attempt
 * @param sequence number of the event in its attempt
 * @param beside   see [[Fingerprint.beside]]
 */
private[eventhubs] final case class EventStamp(
    tag: Long,
    task: Int,
    attempt: Int,
    sequence: Int,
    beside: Option[Fingerprint]
)

/** Writes the stamps of one attempt. Used by one thread. */
private[eventhubs] final class StampWriter(tag: Long, task: Int, attempt: Int) {
  import EventStamp._

  // What the stamps of an attempt share is written once.
  private val shared = {
    val bytes = new Array[Byte](FixedLength + numberLength(task))
    ByteBuffer.wrap(bytes).put(Bare).putLong(tag).putInt(attempt)
    putNumber(bytes, FixedLength, task)
    bytes
  }

  def apply(sequence: Int, beside: Option[Fingerprint]): OutgoingStamp = {
    val besideStart = shared.length + numberLength(sequence)
    val bytes = Arrays.copyOf(shared, if (beside.isEmpty) besideStart else besideStart + FingerprintLength)
    putNumber(bytes, shared.length, sequence)
    if (beside.isDefined) {
      bytes(0) = WithBeside
      ByteBuffer.wrap(bytes).position(besideStart).putLong(beside.get.high).putLong(beside.get.low)
    }
    OutgoingStamp(Property, bytes)
  }
}

private[eventhubs] object EventStamp {

  val Property = StampName("spark-stamp")

  // The first byte says which form it is.
  private[exactlyonce] val Bare: Byte = 1
  private[exactlyonce] val WithBeside: Byte = 2

  /** The first byte, tag and attempt. */
  private[exactlyonce] val FixedLength = 1 + 8 + 4
  private[exactlyonce] val FingerprintLength = 16

  /** None for an event without a stamp, or with one that this version does not know. */
  def of(event: ReceivedEvent): Option[EventStamp] = OutgoingStamp.of(event, Property).flatMap(parse)

  def parse(bytes: Array[Byte]): Option[EventStamp] = {
    val in = ByteBuffer.wrap(bytes)
    try {
      val form = in.get()
      val (tag, attempt) = (in.getLong, in.getInt)
      val (task, sequence) = (number(in), number(in))
      val beside = Option.when(form == WithBeside)(Fingerprint(in.getLong, in.getLong))
      Option.when((form == Bare || form == WithBeside) && !in.hasRemaining)(
        EventStamp(tag, task, attempt, sequence, beside)
      )
    } catch { case _: BufferUnderflowException => None }
  }

  /** Seven bits in each byte, the lowest first; all but the last byte are negative. */
  private[exactlyonce] def putNumber(bytes: Array[Byte], start: Int, value: Int): Unit = {
    var at = start
    var rest = value
    while ((rest & ~0x7f) != 0) {
      bytes(at) = (rest | 0x80).toByte
      rest >>>= 7
      at += 1
    }
    bytes(at) = rest.toByte
  }

  private[exactlyonce] def numberLength(value: Int): Int =
    (Integer.SIZE - Integer.numberOfLeadingZeros(value | 1) + 6) / 7

  private def number(in: ByteBuffer): Int = {
    var value = 0
    var shift = 0
    var next = in.get()
    while (next < 0) {
      value |= (next & 0x7f) << shift
      shift += 7
      next = in.get()
    }
    value | (next << shift)
  }
}
