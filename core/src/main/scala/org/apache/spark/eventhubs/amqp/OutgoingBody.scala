package org.apache.spark.eventhubs.amqp

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * A body where it lies: in a row of Spark's, which is reused for the next one, so that it must be written or hashed before.
 * An array of its own would cost more than all else that is done with it.
 *
 * @param base   array or, for memory outside of the heap, null
 * @param offset of the first byte, as Spark's `Platform` counts
 */
private[spark] final class OutgoingBody(val base: AnyRef, val offset: Long, val length: Int) {

  def writeTo(target: Array[Byte], at: Int): Unit =
    Platform.copyMemory(base, offset, target, (Platform.BYTE_ARRAY_OFFSET + at).toLong, length.toLong)

  def toArray: Array[Byte] = {
    val bytes = new Array[Byte](length)
    writeTo(bytes, 0)
    bytes
  }
}

private[spark] object OutgoingBody {

  def apply(bytes: Array[Byte]): OutgoingBody = new OutgoingBody(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length)

  def apply(text: UTF8String): OutgoingBody = new OutgoingBody(text.getBaseObject, text.getBaseOffset, text.numBytes)
}
