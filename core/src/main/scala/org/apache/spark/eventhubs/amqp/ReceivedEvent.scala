package org.apache.spark.eventhubs.amqp

import java.nio.ByteBuffer
import java.util.{Collections, Map => JavaMap}

import org.apache.qpid.proton.amqp.messaging.{ApplicationProperties, Properties, Section}
import org.apache.qpid.proton.codec.{AMQPDefinedTypes, DecoderImpl, EncoderImpl}

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * The event that a reader stands at: one mutable view for all events of a range, so that reading makes no object per
 * event. Valid until the reader advances. Only what is asked for is decoded (docs/internals/adr/0007). Its texts are views of the
 * message, which they keep in memory.
 */
final class ReceivedEvent {

  private var bytes: Array[Byte] = _
  private var number = -1L
  private val sections = new MessageSections

  /** Most events need it for nothing. */
  private lazy val decoder = {
    val decoder = new DecoderImpl
    AMQPDefinedTypes.registerAllTypes(decoder, new EncoderImpl(decoder))
    decoder
  }

  /** @throws MalformedMessageException when it is no message of an event hub */
  private[eventhubs] def set(message: Array[Byte]): Unit = {
    bytes = message
    try {
      sections.find(bytes)
      number = required(sections.sequenceNumber, "x-opt-sequence-number")
    } catch {
      case _: IndexOutOfBoundsException =>
        throw new MalformedMessageException(s"a value in its ${bytes.length} bytes reaches beyond their end")
    }
  }

  def sequenceNumber: Long = number

  /** As issued by the service, opaque. */
  def offset: String = offsetText.toString

  def offsetText: UTF8String = text(sections.offset)

  def enqueuedMillis: Long = required(sections.enqueuedTime, "x-opt-enqueued-time")

  /** Null for an event that was sent without a key: read once per row, so without an Option. */
  def partitionKey: String = string(partitionKeyText)

  def partitionKeyText: UTF8String = text(sections.partitionKey)

  /** Null for an event that did not come through a publisher's own address. */
  def publisherText: UTF8String = text(sections.publisher)

  /**
   * The bytes of a Data section as they are, of several behind each other; a body that is an AMQP value or sequence as its
   * text (see [[AmqpText]]). In an array of its own.
   */
  def body: Array[Byte] =
    if (sections.bodyIsData) data()
    else if (sections.body < 0) Array.emptyByteArray
    else AmqpText.ofBody(decoded(sections.body).asInstanceOf[Section])

  /** Bytes of the body without making its text: of one that is no Data section, those that it has in the message. */
  def bodyLength: Int =
    if (sections.bodyIsData) sections.dataLength
    else if (sections.body < 0) 0
    else AmqpBytes.end(bytes, sections.body) - sections.body

  /** Bytes of the whole message, which is what it takes of memory. */
  private[eventhubs] def encodedLength: Int = bytes.length

  /** What the sender set: AMQP application properties, in the order sent. */
  def applicationProperties: JavaMap[String, AnyRef] =
    if (sections.applicationProperties < 0) Collections.emptyMap()
    else {
      val map = decoded(sections.applicationProperties).asInstanceOf[ApplicationProperties].getValue
      if (map eq null) Collections.emptyMap() else map
    }

  def hasApplicationProperties: Boolean = sections.applicationProperties >= 0

  /** Calls `use` with name and value of each of them as text, in the order sent. */
  def eachApplicationProperty(use: (UTF8String, UTF8String) => Unit): Unit =
    if (sections.applicationProperties >= 0)
      eachEntry(AmqpBytes.descriptorEnd(bytes, sections.applicationProperties))(use)

  /** Whether there are message annotations besides the offset, the sequence number and the time. */
  def hasFurtherAnnotations: Boolean = sections.hasFurtherAnnotations

  /** Calls `use` with name and value of each of those as text, in the order sent. */
  def eachFurtherAnnotation(use: (UTF8String, UTF8String) => Unit): Unit =
    if (sections.annotations >= 0) eachEntry(sections.annotations, !isOwnColumn(_))(use)

  /** The AMQP properties section, or null when the sender set none of them. */
  def properties: Properties =
    if (sections.properties < 0) null else decoded(sections.properties).asInstanceOf[Properties]

  private[eventhubs] def message: Array[Byte] = bytes

  private def data(): Array[Byte] = {
    val all = new Array[Byte](bodyLength)
    var filled = 0
    var at = sections.body
    while (filled < all.length) {
      val value = AmqpBytes.descriptorEnd(bytes, at)
      if (MessageSections.isData(bytes, at) && AmqpBytes.isBinary(bytes, value)) {
        val length = AmqpBytes.contentLength(bytes, value)
        System.arraycopy(bytes, AmqpBytes.content(bytes, value), all, filled, length)
        filled += length
      }
      at = AmqpBytes.end(bytes, value)
    }
    all
  }

  private def eachEntry(map: Int, wanted: Int => Boolean = _ => true)(
      use: (UTF8String, UTF8String) => Unit
  ): Unit = {
    var left = AmqpBytes.count(bytes, map)
    var name = AmqpBytes.firstItem(bytes, map)
    while (left > 1) {
      val value = AmqpBytes.end(bytes, name)
      if (wanted(name)) use(anyText(name), anyText(value))
      name = AmqpBytes.end(bytes, value)
      left -= 2
    }
  }

  private def isOwnColumn(name: Int): Boolean = AmqpBytes.isSymbol(bytes, name) &&
    (AmqpBytes.hasContent(bytes, name, MessageSections.SequenceNumber) ||
      AmqpBytes.hasContent(bytes, name, MessageSections.Offset) ||
      AmqpBytes.hasContent(bytes, name, MessageSections.EnqueuedTime))

  private def text(at: Int): UTF8String = if (at < 0 || AmqpBytes.isNull(bytes, at)) null else anyText(at)

  private def anyText(at: Int): UTF8String =
    if (AmqpBytes.isString(bytes, at) || AmqpBytes.isSymbol(bytes, at))
      UTF8String.fromAddress(
        bytes,
        (Platform.BYTE_ARRAY_OFFSET + AmqpBytes.content(bytes, at)).toLong,
        AmqpBytes.contentLength(bytes, at)
      )
    else UTF8String.fromString(AmqpText.of(decoded(at)))

  private def string(text: UTF8String): String = if (text eq null) null else text.toString

  private def decoded(at: Int): AnyRef = {
    decoder.setByteBuffer(ByteBuffer.wrap(bytes, at, AmqpBytes.end(bytes, at) - at))
    decoder.readObject()
  }

  private def required(at: Int, name: String): Long =
    if (at >= 0) AmqpBytes.integer(bytes, at)
    else throw new MalformedMessageException(s"it has no annotation $name")
}
