package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.ByteBuffer
import java.util.Arrays

import org.apache.spark.eventhubs.amqp.{SharedStampProperty, StampProperty}
import org.apache.spark.sql.eventhubs.sink.Fingerprint

/** Encodes the stamps of one attempt. Used by one thread. */
private[eventhubs] final class StampEncoder(tag: Long, task: Int, attempt: Int) {
  import EventStamp._

  private var batches = 0

  // The bytes that all stamps of the attempt share are encoded once.
  private val shared = {
    val bytes = new Array[Byte](FixedLength + numberLength(task))
    ByteBuffer.wrap(bytes).put(Bare).putLong(tag)
    putNumber(bytes, FixedLength, task)
    bytes
  }
  private val bare = Some(new SharedStampProperty(Property, shared) {
    override def ofBatch(): StampProperty = new StampProperty(Property, numbered(None))
  })

  def apply(attributes: Option[Fingerprint]): Some[StampProperty] =
    if (attributes.isEmpty) bare
    else
      Some(new StampProperty(Property, plain(attributes)) {
        override def ofBatch(): StampProperty = new StampProperty(Property, numbered(attributes))
      })

  private def plain(attributes: Option[Fingerprint]): Array[Byte] =
    if (attributes.isEmpty) shared
    else {
      val bytes = Arrays.copyOf(shared, shared.length + FingerprintLength)
      bytes(0) = WithAttributes
      ByteBuffer.wrap(bytes).position(shared.length).putLong(attributes.get.high).putLong(attributes.get.low)
      bytes
    }

  private def numbered(attributes: Option[Fingerprint]): Array[Byte] = {
    batches += 1
    val of = plain(attributes)
    val bytes = new Array[Byte](of.length + AttemptLength + numberLength(batches))
    bytes(0) = if (attributes.isEmpty) Numbered else NumberedWithAttributes
    System.arraycopy(of, 1, bytes, 1, of.length - 1)
    ByteBuffer.wrap(bytes).position(of.length).putInt(attempt)
    putNumber(bytes, of.length + AttemptLength, batches)
    bytes
  }
}
