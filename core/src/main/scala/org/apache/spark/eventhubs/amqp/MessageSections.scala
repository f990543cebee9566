package org.apache.spark.eventhubs.amqp

import java.nio.charset.StandardCharsets.US_ASCII

/**
 * Positions of the sections and annotations of one message; -1 for missing ones. One object serves all events of a
 * reader.
 */
private[eventhubs] final class MessageSections {
  import MessageSections._

  // Positions of the sections' descriptors.
  var properties = -1
  var applicationProperties = -1

  /** The first section of the body. */
  var body = -1
  var bodyIsData = false
  var bodyIsSequence = false

  /** Whether there is no body, its value is AMQP's null, or all its Data sections are. */
  var bodyIsNull = true

  /** Bytes in all Data sections together. */
  var dataLength = 0

  /** Bytes from the first section of a body that is no data to the end of the last one. */
  var otherLength = 0

  /** Position of the message annotations' map. */
  var annotations = -1

  // Positions of annotations' values.
  var sequenceNumber = -1
  var offset = -1
  var enqueuedTime = -1
  var partitionKey = -1
  var publisher = -1

  /** Whether there are annotations besides sequence number, offset and enqueued time. */
  var hasFurtherAnnotations = false

  def find(bytes: Array[Byte]): Unit = {
    properties = -1
    applicationProperties = -1
    body = -1
    bodyIsData = false
    bodyIsSequence = false
    bodyIsNull = true
    dataLength = 0
    otherLength = 0
    annotations = -1
    // Also if this message is malformed: what is found are never positions of the one before.
    sequenceNumber = -1
    offset = -1
    enqueuedTime = -1
    partitionKey = -1
    publisher = -1
    hasFurtherAnnotations = false
    var at = 0
    while (at < bytes.length) {
      if (!AmqpReader.isDescribed(bytes, at)) throw AmqpReader.malformed(bytes, at)
      val value = AmqpReader.descriptorEnd(bytes, at)
      code(bytes, at) match {
        case MessageAnnotations => annotations = value
        case Properties => properties = at
        case ApplicationProperties => applicationProperties = at
        case Data =>
          if (body < 0) {
            body = at
            bodyIsData = true
          }
          if (AmqpReader.isBinary(bytes, value)) {
            if (bodyIsData) bodyIsNull = false
            dataLength += AmqpReader.contentLength(bytes, value)
          }
        case section @ (Sequence | Value) =>
          if (body < 0) {
            body = at
            bodyIsSequence = section == Sequence
            bodyIsNull = section == Value && AmqpReader.isNull(bytes, value)
          }
          otherLength = AmqpReader.end(bytes, value) - body
        case _ => ()
      }
      at = AmqpReader.end(bytes, value)
    }
    findAnnotations(bytes)
  }

  private def findAnnotations(bytes: Array[Byte]): Unit = if (annotations >= 0) {
    var left = AmqpReader.count(bytes, annotations)
    var key = AmqpReader.firstItem(bytes, annotations)
    while (left > 1) {
      val value = AmqpReader.end(bytes, key)
      note(bytes, key, value)
      key = AmqpReader.end(bytes, value)
      left -= 2
    }
  }

  private def note(bytes: Array[Byte], key: Int, value: Int): Unit =
    if (!AmqpReader.isSymbol(bytes, key)) hasFurtherAnnotations = true
    else if (AmqpReader.hasContent(bytes, key, SequenceNumber)) sequenceNumber = value
    else if (AmqpReader.hasContent(bytes, key, Offset)) offset = value
    else if (AmqpReader.hasContent(bytes, key, EnqueuedTime)) enqueuedTime = value
    else {
      hasFurtherAnnotations = true
      if (AmqpReader.hasContent(bytes, key, PartitionKey)) partitionKey = value
      else if (AmqpReader.hasContent(bytes, key, Publisher)) publisher = value
    }
}

private[eventhubs] object MessageSections {

  val SequenceNumber: Array[Byte] = "x-opt-sequence-number".getBytes(US_ASCII)
  val Offset: Array[Byte] = "x-opt-offset".getBytes(US_ASCII)
  val EnqueuedTime: Array[Byte] = "x-opt-enqueued-time".getBytes(US_ASCII)
  private val PartitionKey = "x-opt-partition-key".getBytes(US_ASCII)
  private val Publisher = "x-opt-publisher".getBytes(US_ASCII)

  private val MessageAnnotations = 0x72
  private val Properties = 0x73
  private val ApplicationProperties = 0x74
  private val Data = 0x75
  private val Sequence = 0x76
  private val Value = 0x77

  /** AMQP allows symbols instead of the numbers; no known client sends them. */
  private val ByName = Map(
    "amqp:message-annotations:map" -> MessageAnnotations,
    "amqp:properties:list" -> Properties,
    "amqp:application-properties:map" -> ApplicationProperties,
    "amqp:data:binary" -> Data,
    "amqp:amqp-sequence:list" -> Sequence,
    "amqp:amqp-value:*" -> Value
  )

  /** Descriptor number of a section; -1 for an unknown one. */
  def code(bytes: Array[Byte], at: Int): Int = {
    val number = AmqpReader.descriptor(bytes, at)
    if (number >= 0) number.toInt
    else if (AmqpReader.isSymbol(bytes, at + 1)) ByName.getOrElse(AmqpReader.ascii(bytes, at + 1), -1)
    else -1
  }

  def isData(bytes: Array[Byte], at: Int): Boolean = code(bytes, at) == Data

  def isSequence(bytes: Array[Byte], at: Int): Boolean = code(bytes, at) == Sequence
}
