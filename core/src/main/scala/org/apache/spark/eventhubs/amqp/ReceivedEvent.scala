package org.apache.spark.eventhubs.amqp

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.{Collections, List => JavaList, Map => JavaMap}

import org.apache.qpid.proton.amqp.messaging.{AmqpSequence, AmqpValue, ApplicationProperties, Properties}
import org.apache.qpid.proton.codec.{AMQPDefinedTypes, DecoderImpl, EncoderImpl}

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * The current event of a reader: one mutable view for all events of a range, so that reading creates no object per
 * event. Valid until the reader advances. Decodes only what the caller reads (docs/internals/adr/0007). Its texts are
 * views of the message, and keep it in memory.
 */
private[spark] final class ReceivedEvent {

  import ReceivedEvent._

  private var bytes: Array[Byte] = _
  private var number = -1L
  private val sections = new MessageSections

  /** Lazy, because most events do not need it. */
  private lazy val decoder = {
    val decoder = new DecoderImpl
    AMQPDefinedTypes.registerAllTypes(decoder, new EncoderImpl(decoder))
    decoder
  }

  /** @throws MalformedMessageException when it is not a message of an event hub */
  private[eventhubs] def set(message: Array[Byte]): Unit = {
    bytes = message
    try {
      sections.find(bytes)
      number = required(sections.sequenceNumber, "x-opt-sequence-number")
    } catch {
      case _: IndexOutOfBoundsException =>
        throw new MalformedMessageException(s"a value extends beyond the end of its ${bytes.length} bytes")
    }
  }

  def sequenceNumber: Long = number

  /** Returns what the service has issued; it is opaque. */
  def offset: String = offsetText.toString

  def offsetText: UTF8String = text(sections.offset)

  def enqueuedMillis: Long = required(sections.enqueuedTime, "x-opt-enqueued-time")

  /** Null for an event without a key. No Option, because it is read for each row. */
  def partitionKey: String = string(partitionKeyText)

  def partitionKeyText: UTF8String = text(sections.partitionKey)

  /** Null for an event that was not sent to a publisher's address. */
  def publisherText: UTF8String = text(sections.publisher)

  /** Whether the event has no value: there is no body section, or its content is AMQP's null. Kafka's tombstone. */
  def hasNullBody: Boolean = sections.bodyIsNull

  /**
   * The bytes of the Data sections, in a new array; null if `hasNullBody`. A body that is an AMQP value or consists of
   * AMQP sequences becomes text (see [[AmqpText]]). No Option, because it is read for each row.
   */
  def body: Array[Byte] =
    if (sections.bodyIsNull) null
    else if (sections.bodyIsData) data()
    else if (sections.bodyIsSequence) AmqpText.ofSequences(sequences())
    else AmqpText.ofValue(decoded(sections.body).asInstanceOf[AmqpValue].getValue)

  /**
   * Length of the body in bytes, 0 for null. A body that is not Data counts with the encoded length of its sections.
   */
  def bodyLength: Int =
    if (sections.bodyIsNull) 0 else if (sections.bodyIsData) sections.dataLength else sections.otherLength

  /** Length of the whole message, and so the memory that it takes. */
  private[eventhubs] def encodedLength: Int = bytes.length

  /** The AMQP application properties, in the sender's order. */
  def applicationProperties: JavaMap[String, AnyRef] =
    if (sections.applicationProperties < 0) Collections.emptyMap()
    else {
      val map = decoded(sections.applicationProperties).asInstanceOf[ApplicationProperties].getValue
      if (map eq null) Collections.emptyMap() else map
    }

  def hasApplicationProperties: Boolean = sections.applicationProperties >= 0

  /** Calls `use` with name and value of each application property as text, or null, in the sender's order. */
  def eachApplicationProperty(use: (UTF8String, UTF8String) => Unit): Unit =
    if (sections.applicationProperties >= 0)
      eachEntry(AmqpReader.descriptorEnd(bytes, sections.applicationProperties))(use)

  /** Whether there are message annotations besides sequence number, offset and enqueued time. */
  def hasFurtherAnnotations: Boolean = sections.hasFurtherAnnotations

  /** Calls `use` with name and value of each of those annotations as text, or null, in the sender's order. */
  def eachFurtherAnnotation(use: (UTF8String, UTF8String) => Unit): Unit =
    if (sections.annotations >= 0) eachEntry(sections.annotations, !isOwnColumn(_))(use)

  /**
   * The epoch in a geo-replicated hub, which each promotion of a secondary region raises. Negative in other hubs. It is
   * looked up with each call.
   */
  def epoch: Int = {
    var annotated = UnknownEpoch
    if (sections.annotations >= 0)
      eachEntry(sections.annotations, isEpoch)((_, value) =>
        annotated = String.valueOf(value).toIntOption.getOrElse(annotated)
      )
    if (annotated >= 0) annotated else ReplicatedOffset.epoch(String.valueOf(offsetText)).getOrElse(UnknownEpoch)
  }

  private def isEpoch(name: Int): Boolean =
    AmqpReader.isSymbol(bytes, name) && AmqpReader.hasContent(bytes, name, EpochAnnotation)

  /** The AMQP properties section, or null when there is none. */
  def properties: Properties =
    if (sections.properties < 0) null else decoded(sections.properties).asInstanceOf[Properties]

  private[eventhubs] def message: Array[Byte] = bytes

  private def data(): Array[Byte] = {
    val all = new Array[Byte](bodyLength)
    var filled = 0
    var at = sections.body
    while (filled < all.length) {
      val value = AmqpReader.descriptorEnd(bytes, at)
      if (MessageSections.isData(bytes, at) && AmqpReader.isBinary(bytes, value)) {
        val length = AmqpReader.contentLength(bytes, value)
        System.arraycopy(bytes, AmqpReader.content(bytes, value), all, filled, length)
        filled += length
      }
      at = AmqpReader.end(bytes, value)
    }
    all
  }

  private def sequences(): Seq[JavaList[_]] = {
    val found = Seq.newBuilder[JavaList[_]]
    var at = sections.body
    while (at < bytes.length) {
      if (MessageSections.isSequence(bytes, at)) found ++= Option(decoded(at).asInstanceOf[AmqpSequence].getValue)
      at = AmqpReader.end(bytes, at)
    }
    found.result()
  }

  private def eachEntry(map: Int, wanted: Int => Boolean = _ => true)(
      use: (UTF8String, UTF8String) => Unit
  ): Unit = {
    var left = AmqpReader.count(bytes, map)
    var name = AmqpReader.firstItem(bytes, map)
    while (left > 1) {
      val value = AmqpReader.end(bytes, name)
      if (wanted(name)) use(anyText(name), text(value))
      name = AmqpReader.end(bytes, value)
      left -= 2
    }
  }

  private def isOwnColumn(name: Int): Boolean = AmqpReader.isSymbol(bytes, name) &&
    (AmqpReader.hasContent(bytes, name, MessageSections.SequenceNumber) ||
      AmqpReader.hasContent(bytes, name, MessageSections.Offset) ||
      AmqpReader.hasContent(bytes, name, MessageSections.EnqueuedTime))

  private def text(at: Int): UTF8String = if (at < 0 || AmqpReader.isNull(bytes, at)) null else anyText(at)

  private def anyText(at: Int): UTF8String =
    if (AmqpReader.isString(bytes, at) || AmqpReader.isSymbol(bytes, at))
      UTF8String.fromAddress(
        bytes,
        (Platform.BYTE_ARRAY_OFFSET + AmqpReader.content(bytes, at)).toLong,
        AmqpReader.contentLength(bytes, at)
      )
    else UTF8String.fromString(AmqpText.of(decoded(at)))

  private def string(text: UTF8String): String = if (text eq null) null else text.toString

  private def decoded(at: Int): AnyRef = {
    decoder.setByteBuffer(ByteBuffer.wrap(bytes, at, AmqpReader.end(bytes, at) - at))
    decoder.readObject()
  }

  private def required(at: Int, name: String): Long =
    if (at >= 0) AmqpReader.integer(bytes, at)
    else throw new MalformedMessageException(s"it has no annotation $name")
}

private object ReceivedEvent {
  private val UnknownEpoch = -1

  /** The service adds it to each event, with -1 in a hub that is not geo-replicated. */
  private val EpochAnnotation = "x-opt-sequence-number-epoch".getBytes(US_ASCII)
}
