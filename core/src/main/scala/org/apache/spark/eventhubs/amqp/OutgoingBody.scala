package org.apache.spark.eventhubs.amqp

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * A reference to an event's body in memory, usually in a Spark row. Spark reuses the row for the next one, so the body
 * must be written or hashed before. Copying it to its own array would cost more than all other steps of sending.
 *
 * @param base   an array, or null for memory outside the heap
 * @param offset of the first byte, in the terms of Spark's `Platform`
 * @param isNull whether the event has no value, which is different from an empty one
 */
private[spark] final class OutgoingBody(
    val base: AnyRef,
    val offset: Long,
    val length: Int,
    val isNull: Boolean = false
) {

  def writeTo(target: Array[Byte], at: Int): Unit =
    Platform.copyMemory(base, offset, target, (Platform.BYTE_ARRAY_OFFSET + at).toLong, length.toLong)
}

private[spark] object OutgoingBody {

  /** The body of a tombstone. */
  val Null: OutgoingBody =
    new OutgoingBody(Array.emptyByteArray, Platform.BYTE_ARRAY_OFFSET.toLong, length = 0, isNull = true)

  /** The body of a received event, which may be null. */
  def of(event: ReceivedEvent): OutgoingBody = if (event.hasNullBody) Null else apply(event.body)

  def apply(bytes: Array[Byte]): OutgoingBody = new OutgoingBody(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length)

  def apply(text: UTF8String): OutgoingBody = new OutgoingBody(text.getBaseObject, text.getBaseOffset, text.numBytes)
}
