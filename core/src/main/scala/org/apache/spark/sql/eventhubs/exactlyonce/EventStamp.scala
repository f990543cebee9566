package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.{BufferUnderflowException, ByteBuffer}
import java.util.Arrays

import org.apache.spark.eventhubs.amqp.{ReceivedEvent, SharedStampProperty, StampName, StampProperty}
import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors}
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, WriteName}

/**
 * By what exactly once knows its events again: one binary application property. It holds nothing that can be found out from
 * the event, because each byte of it is sent and stored with each event; so the fingerprint of a body is not in it.
 *
 * @param tag    of the [[WriteName]]
 * @param task   index of the task in its stage
 * @param batch  of the first event of a batch, None for the others
 * @param beside see [[Fingerprint.beside]]
 */
private[eventhubs] final case class EventStamp(
    tag: Long,
    task: Int,
    batch: Option[BatchNumber],
    beside: Option[Fingerprint]
)

/**
 * A batch on its way to the hub.
 *
 * @param attempt  a random number of the task's attempt
 * @param sequence number of the batch in its attempt
 */
private[eventhubs] final case class BatchNumber(attempt: Int, sequence: Int)

/** Writes the stamps of one attempt. Used by one thread. */
private[eventhubs] final class StampWriter(tag: Long, task: Int, attempt: Int) {
  import EventStamp._

  private var batches = 0

  // What the stamps of an attempt share is written once.
  private val shared = {
    val bytes = new Array[Byte](FixedLength + numberLength(task))
    ByteBuffer.wrap(bytes).put(Bare).putLong(tag)
    putNumber(bytes, FixedLength, task)
    bytes
  }
  private val bare = Some(new SharedStampProperty(Property, shared) {
    override def ofBatch(): StampProperty = new StampProperty(Property, numbered(None))
  })

  def apply(beside: Option[Fingerprint]): Some[StampProperty] =
    if (beside.isEmpty) bare
    else
      Some(new StampProperty(Property, plain(beside)) {
        override def ofBatch(): StampProperty = new StampProperty(Property, numbered(beside))
      })

  private def plain(beside: Option[Fingerprint]): Array[Byte] =
    if (beside.isEmpty) shared
    else {
      val bytes = Arrays.copyOf(shared, shared.length + FingerprintLength)
      bytes(0) = WithBeside
      ByteBuffer.wrap(bytes).position(shared.length).putLong(beside.get.high).putLong(beside.get.low)
      bytes
    }

  private def numbered(beside: Option[Fingerprint]): Array[Byte] = {
    batches += 1
    val of = plain(beside)
    val bytes = new Array[Byte](of.length + AttemptLength + numberLength(batches))
    bytes(0) = if (beside.isEmpty) Numbered else NumberedWithBeside
    System.arraycopy(of, 1, bytes, 1, of.length - 1)
    ByteBuffer.wrap(bytes).position(of.length).putInt(attempt)
    putNumber(bytes, of.length + AttemptLength, batches)
    bytes
  }
}

private[eventhubs] object EventStamp {

  val Property = StampName("spark-stamp")

  // The first byte of a stamp is its form.
  private[exactlyonce] val Bare: Byte = 3
  private[exactlyonce] val WithBeside: Byte = 4
  private[exactlyonce] val Numbered: Byte = 5
  private[exactlyonce] val NumberedWithBeside: Byte = 6

  /** The first byte and the tag. */
  private[exactlyonce] val FixedLength = 1 + 8
  private[exactlyonce] val AttemptLength = 4
  private[exactlyonce] val FingerprintLength = 16

  /**
   * The stamp that `name` gave an event; None for the events of others.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException if it gave one that cannot be read: a later version began this batch
   */
  def of(event: ReceivedEvent, name: WriteName, hub: EventHubName): Option[EventStamp] =
    StampProperty.of(event, Property).filter(isOf(_, name)).map { bytes =>
      parse(bytes).getOrElse(throw EventHubsErrors.exactlyOnceUnknowable(
        hub,
        name.toString,
        s"another version of the connector, which stamps events in form ${bytes(0)}, has begun it; that version can finish it"
      ))
    }

  /** In all forms the first byte is the form and the next eight are the tag. */
  private def isOf(bytes: Array[Byte], name: WriteName): Boolean =
    bytes.length >= FixedLength && ByteBuffer.wrap(bytes).getLong(1) == name.tag

  def parse(bytes: Array[Byte]): Option[EventStamp] = {
    val in = ByteBuffer.wrap(bytes)
    try {
      val form = in.get()
      val tag = in.getLong
      val stamp = form match {
        case Bare | WithBeside => Some(EventStamp(tag, number(in), None, beside(in, form == WithBeside)))
        case Numbered | NumberedWithBeside =>
          val (task, known) = (number(in), beside(in, form == NumberedWithBeside))
          Some(EventStamp(tag, task, Some(BatchNumber(in.getInt, number(in))), known))
        case _ => None
      }
      stamp.filterNot(_ => in.hasRemaining)
    } catch { case _: BufferUnderflowException => None }
  }

  private def beside(in: ByteBuffer, has: Boolean): Option[Fingerprint] =
    Option.when(has)(Fingerprint(in.getLong, in.getLong))

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
