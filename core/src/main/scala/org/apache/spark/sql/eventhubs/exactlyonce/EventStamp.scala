package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.{BufferUnderflowException, ByteBuffer}

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.amqp.{ReceivedEvent, StampName, StampProperty}
import org.apache.spark.sql.eventhubs.sink.{Fingerprint, WriteIdentity}

/**
 * Identifies an event of an exactly-once write: one binary application property. It is sent and stored with every
 * event, so it has nothing that a reader can compute from the event, such as the fingerprint of the body.
 *
 * @param tag        of the [[WriteIdentity]]
 * @param task       index of the task in its stage
 * @param batch      number of the AMQP batch, in its first event only
 * @param attributes see [[Fingerprint.attributes]]
 */
private[eventhubs] final case class EventStamp(
    tag: Long,
    task: Int,
    batch: Option[BatchNumber],
    attributes: Option[Fingerprint]
)

/**
 * Identifies one AMQP batch of a task.
 *
 * @param attempt  a random number for the task's attempt
 * @param sequence number of the batch in the attempt
 */
private[eventhubs] final case class BatchNumber(attempt: Int, sequence: Int)

/**
 * Counts the events of each batch of a write. A batch is in one partition, and only its first event has its number, so
 * those of the same task that follow there may belong to it. Nothing public says that no other batch of the task lies
 * in between, so the number may be too high, but never too low. It is exact for a task's last batch in a partition, and
 * only that can be cut off unnoticed: events that are missing before others leave a gap, or others of a later epoch.
 */
private[eventhubs] final class BatchCounts {

  /** The events without a number, of each task in each partition. */
  private val others = mutable.Map.empty[(Int, Int), Int].withDefaultValue(0)

  /** Where batches begin, with the number of [[others]] before. A batch may come twice. */
  private val begun = mutable.ArrayBuffer.empty[((Int, Int), BatchNumber, Int)]

  /** The events of a partition in their order. */
  def add(partition: Int, stamp: EventStamp): Unit = {
    val of = (partition, stamp.task)
    stamp.batch match {
      case Some(batch) => begun += ((of, batch, others(of)))
      case None => others(of) += 1
    }
  }

  /** For each task and batch, the number of its events; the larger one of a batch that came twice. */
  def result: Map[(Int, BatchNumber), Int] =
    begun.groupBy { case ((_, task), batch, _) => (task, batch) }.map { case (batch, copies) =>
      batch -> copies.map { case (of, _, before) => 1 + others(of) - before }.max
    }
}

private[eventhubs] object EventStamp {

  val Property = StampName("spark-stamp")

  // The first byte of a stamp is its form.
  private[exactlyonce] val Bare: Byte = 1
  private[exactlyonce] val WithAttributes: Byte = 2
  private[exactlyonce] val Numbered: Byte = 3
  private[exactlyonce] val NumberedWithAttributes: Byte = 4

  /** The first byte and the tag. */
  private[exactlyonce] val FixedLength = 1 + 8
  private[exactlyonce] val AttemptLength = 4
  private[exactlyonce] val FingerprintLength = 16

  /**
   * The stamp of an event that `writeId` wrote; None for other events.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException for a stamp in an unknown form: a later version started this
   *         batch
   */
  def of(event: ReceivedEvent, writeId: WriteIdentity, hub: EventHubName): Option[EventStamp] =
    StampProperty.of(event, Property).filter(isOf(_, writeId)).map { bytes =>
      parse(bytes).getOrElse(throw ExactlyOnceErrors.outcomeUnknown(
        hub,
        writeId.toString,
        s"another version of the connector, which stamps events in form ${bytes(0)}, started it; that version can " +
          "finish it"
      ))
    }

  /** In every form the first byte is the form, and the next eight bytes are the tag. */
  private def isOf(bytes: Array[Byte], writeId: WriteIdentity): Boolean =
    bytes.length >= FixedLength && ByteBuffer.wrap(bytes).getLong(1) == writeId.tag

  def parse(bytes: Array[Byte]): Option[EventStamp] = {
    val in = ByteBuffer.wrap(bytes)
    try {
      val form = in.get()
      val tag = in.getLong
      val stamp = form match {
        case Bare | WithAttributes => Some(EventStamp(tag, number(in), None, attributes(in, form == WithAttributes)))
        case Numbered | NumberedWithAttributes =>
          val (task, known) = (number(in), attributes(in, form == NumberedWithAttributes))
          Some(EventStamp(tag, task, Some(BatchNumber(in.getInt, number(in))), known))
        case _ => None
      }
      stamp.filterNot(_ => in.hasRemaining)
    } catch { case _: BufferUnderflowException => None }
  }

  private def attributes(in: ByteBuffer, has: Boolean): Option[Fingerprint] =
    Option.when(has)(Fingerprint(in.getLong, in.getLong))

  /** A variable-length integer: seven bits in each byte, the lowest first. All bytes but the last are negative. */
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
