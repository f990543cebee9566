package org.apache.spark.eventhubs.client

import java.util.{Collections, Date, Map => JavaMap}

import org.apache.qpid.proton.amqp.messaging.{Data, Properties}
import org.apache.qpid.proton.amqp.{Binary, Symbol}
import org.apache.qpid.proton.message.Message

/**
 * The event that a reader stands at: one mutable view for all events of a range, so that reading makes no object per
 * event. Valid until the reader advances. Its maps and bytes are shared with the message: do not change them.
 */
final class ReceivedEvent {

  import ReceivedEvent._

  private var current: Message = _
  private var number = -1L

  private[client] def set(next: Message): Unit = {
    current = next
    number = ReceivedEvent.sequenceNumber(next)
  }

  def sequenceNumber: Long = number

  /** As issued by the service, opaque. */
  def offset: String = annotations.get(Offset).toString

  def enqueuedMillis: Long = annotations.get(EnqueuedTime).asInstanceOf[Date].getTime

  /** Null for an event that was sent without a key: read once per row, so without an Option. */
  def partitionKey: String = text(annotations.get(PartitionKey))

  /** Null for an event that did not come through a publisher's own address. */
  def publisher: String = text(annotations.get(Publisher))

  /** The bytes of a Data section as they are; a body that is an AMQP value or sequence as its text (see [[AmqpText]]). */
  def body: Array[Byte] = current.getBody match {
    case data: Data => bytes(data.getValue)
    case other => AmqpText.ofBody(other)
  }

  /** Bytes of the body without making its text: for a body that is no Data section 0. */
  def bodyLength: Int = current.getBody match {
    case data: Data if data.getValue ne null => data.getValue.getLength
    case _ => 0
  }

  /** What the sender set: AMQP application properties, in the order sent. */
  def applicationProperties: JavaMap[String, AnyRef] = {
    val section = current.getApplicationProperties
    if ((section eq null) || (section.getValue eq null)) Collections.emptyMap() else section.getValue
  }

  /** Message annotations, the service's own among them. */
  def annotations: JavaMap[Symbol, AnyRef] = current.getMessageAnnotations.getValue

  /** The AMQP properties section, or null when the sender set none of them. */
  def properties: Properties = current.getProperties

  private[client] def message: Message = current
}

object ReceivedEvent {

  private val SequenceNumber = Symbol.getSymbol("x-opt-sequence-number")
  private val Offset = Symbol.getSymbol("x-opt-offset")
  private val EnqueuedTime = Symbol.getSymbol("x-opt-enqueued-time")
  private val PartitionKey = Symbol.getSymbol("x-opt-partition-key")

  private val Publisher = Symbol.getSymbol("x-opt-publisher")

  private val NoBytes = Array.emptyByteArray

  private[client] def sequenceNumber(message: Message): Long =
    message.getMessageAnnotations.getValue.get(SequenceNumber).asInstanceOf[Number].longValue

  private def text(value: AnyRef): String = if (value eq null) null else AmqpText.of(value)

  /** Proton copies a body into an array of its own, which is then given out without another copy. */
  private def bytes(binary: Binary): Array[Byte] =
    if (binary eq null) NoBytes
    else {
      val array = binary.getArray
      if (binary.getArrayOffset == 0 && binary.getLength == array.length) array
      else java.util.Arrays.copyOfRange(array, binary.getArrayOffset, binary.getArrayOffset + binary.getLength)
    }
}
