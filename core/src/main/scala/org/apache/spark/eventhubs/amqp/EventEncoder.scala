package org.apache.spark.eventhubs.amqp

import java.util.{Arrays, Collections}

/**
 * Encodes events as the AMQP messages that the SDK's `EventData` becomes. It encodes each event once; the SDK encodes
 * it three times between `tryAdd` and the wire (docs/internals/adr/0005).
 */
private[eventhubs] object EventEncoder {
  import AmqpWriter._

  private val PartitionKeyAnnotation = "x-opt-partition-key"

  private val NoBytes = Array.emptyByteArray
  private val NoSections = Some(NoBytes)

  /** A complete event, as an element of a batch. */
  def writeEvent(event: OutgoingEvent, out: AmqpWriter): Unit = {
    val known = beforeBody(event)
    if (known.isDefined) writeKnown(NoBytes, known.get, event.body, out) else writeAny(event, out, isNumbered = false)
    ()
  }

  /**
   * Writes an event with [[ProducerAnnotations]].
   *
   * @return where their entries start
   */
  def writeNumberedEvent(event: OutgoingEvent, out: AmqpWriter): Int = {
    val known = beforeBody(event)
    if (known.isDefined) writeKnown(ProducerAnnotations.Section, known.get, event.body, out)
    else writeAny(event, out, isNumbered = true)
  }

  /** The encoded sections before the body, if they need no encoding: none, or those of a shared stamp. */
  private def beforeBody(event: OutgoingEvent): Option[Array[Byte]] =
    if (
      event.body.isNull || event.partitionKey.isDefined || event.messageId.isDefined || event.correlationId.isDefined ||
      event.contentType.isDefined || !event.properties.isEmpty
    ) None
    else if (event.stamp.isEmpty) NoSections
    else event.stamp.get.section

  /** The usual event: its length is known before, so no bytes have to be moved afterwards. */
  private def writeKnown(annotations: Array[Byte], sections: Array[Byte], body: OutgoingBody, out: AmqpWriter): Int = {
    out.beginData(annotations.length + sections.length + AmqpWriter.dataLength(body.length))
    if (annotations.length > 0) out.encoded(annotations)
    val entriesAt = out.length - ProducerAnnotations.Encoded.length
    out.encoded(sections)
    out.section(DataSection)
    out.binary(body)
    entriesAt
  }

  /** The application properties section of an event whose only property is this stamp. */
  def properties(stamp: StampProperty): Array[Byte] = {
    val out = new AmqpWriter(firstCapacity = 64)
    out.section(ApplicationPropertiesSection)
    out.map(Collections.emptyMap[String, AnyRef], Some(stamp))
    Arrays.copyOf(out.array, out.length)
  }

  private def writeAny(event: OutgoingEvent, out: AmqpWriter, isNumbered: Boolean): Int = {
    val start = out.beginData()
    // Also in a batch to a partition: the service stores the key of an event that the connector hashed.
    if (event.partitionKey.isDefined || isNumbered) writeAnnotations(event.partitionKey, isNumbered, out)
    val annotationsEnd = out.length
    if (event.messageId.isDefined || event.correlationId.isDefined || event.contentType.isDefined)
      writeProperties(event, out)
    if (event.stamp.isDefined || !event.properties.isEmpty) {
      out.section(ApplicationPropertiesSection)
      out.map(event.properties, event.stamp)
    }
    if (event.body.isNull) {
      out.section(ValueSection)
      out.nullValue()
    } else {
      out.section(DataSection)
      out.binary(event.body)
    }
    val afterAnnotations = out.length - annotationsEnd
    // Moves a short message.
    out.endData(start)
    out.length - afterAnnotations - ProducerAnnotations.Encoded.length
  }

  /** The annotation that makes the service hash the key. */
  def writeKey(key: String, out: AmqpWriter): Unit = writeAnnotations(Some(key), isNumbered = false, out)

  private def writeAnnotations(key: Option[String], isNumbered: Boolean, out: AmqpWriter): Unit = {
    out.section(MessageAnnotationsSection)
    val start = out.beginCompound()
    if (key.isDefined) {
      out.symbol(PartitionKeyAnnotation)
      out.string(key.get)
    }
    if (isNumbered) out.encoded(ProducerAnnotations.Encoded)
    val entries = key.size + (if (isNumbered) ProducerAnnotations.Entries else 0)
    out.endCompound(start, Map8, Map32, 2 * entries)
  }

  /** message-id, user-id, to, subject, reply-to, correlation-id, content-type; up to the last one that is set. */
  private def writeProperties(event: OutgoingEvent, out: AmqpWriter): Unit = {
    out.section(PropertiesSection)
    val start = out.beginCompound()
    out.stringOrNull(event.messageId)
    val fields =
      if (event.correlationId.isEmpty && event.contentType.isEmpty) 1
      else {
        (1 to 4).foreach(_ => out.nullValue())
        out.stringOrNull(event.correlationId)
        event.contentType.fold(6) { contentType =>
          out.symbol(contentType)
          7
        }
      }
    out.endCompound(start, List8, List32, fields)
  }
}
