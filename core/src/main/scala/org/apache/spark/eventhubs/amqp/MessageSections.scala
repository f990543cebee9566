package org.apache.spark.eventhubs.amqp

import java.nio.charset.StandardCharsets.US_ASCII

/**
 * Where the parts of one message begin that an event is made of; -1 for what it has not. One object for all events of a
 * reader.
 */
private[eventhubs] final class MessageSections {
  import MessageSections._

  // Sections begin with their descriptor.
  var properties = -1
  var applicationProperties = -1
  var body = -1
  var bodyIsData = false

  /** Bytes in all Data sections. */
  var dataLength = 0

  /** Message annotations, as the map itself. */
  var annotations = -1

  // Their values.
  var sequenceNumber = -1
  var offset = -1
  var enqueuedTime = -1
  var partitionKey = -1
  var publisher = -1

  /** Annotations that have no column of their own, or whose column shows them a second time. */
  var hasFurtherAnnotations = false

  def find(bytes: Array[Byte]): Unit = {
    properties = -1
    applicationProperties = -1
    body = -1
    bodyIsData = false
    dataLength = 0
    annotations = -1
    var at = 0
    while (at < bytes.length) {
      if (!AmqpBytes.isDescribed(bytes, at)) throw AmqpBytes.malformed(bytes, at)
      val value = AmqpBytes.descriptorEnd(bytes, at)
      code(bytes, at) match {
        case MessageAnnotations => annotations = value
        case Properties => properties = at
        case ApplicationProperties => applicationProperties = at
        case Data =>
          if (body < 0) {
            body = at
            bodyIsData = true
          }
          if (AmqpBytes.isBinary(bytes, value)) dataLength += AmqpBytes.contentLength(bytes, value)
        case Sequence | Value if body < 0 => body = at
        case _ => ()
      }
      at = AmqpBytes.end(bytes, value)
    }
    findAnnotations(bytes)
  }

  private def findAnnotations(bytes: Array[Byte]): Unit = {
    sequenceNumber = -1
    offset = -1
    enqueuedTime = -1
    partitionKey = -1
    publisher = -1
    hasFurtherAnnotations = false
    if (annotations >= 0) {
      var left = AmqpBytes.count(bytes, annotations)
      var key = AmqpBytes.firstItem(bytes, annotations)
      while (left > 1) {
        val value = AmqpBytes.end(bytes, key)
        note(bytes, key, value)
        key = AmqpBytes.end(bytes, value)
        left -= 2
      }
    }
  }

  private def note(bytes: Array[Byte], key: Int, value: Int): Unit =
    if (!AmqpBytes.isSymbol(bytes, key)) hasFurtherAnnotations = true
    else if (AmqpBytes.hasContent(bytes, key, SequenceNumber)) sequenceNumber = value
    else if (AmqpBytes.hasContent(bytes, key, Offset)) offset = value
    else if (AmqpBytes.hasContent(bytes, key, EnqueuedTime)) enqueuedTime = value
    else {
      hasFurtherAnnotations = true
      if (AmqpBytes.hasContent(bytes, key, PartitionKey)) partitionKey = value
      else if (AmqpBytes.hasContent(bytes, key, Publisher)) publisher = value
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

  /** AMQP allows names for the numbers, though nobody is known to send them. */
  private val ByName = Map(
    "amqp:message-annotations:map" -> MessageAnnotations,
    "amqp:properties:list" -> Properties,
    "amqp:application-properties:map" -> ApplicationProperties,
    "amqp:data:binary" -> Data,
    "amqp:amqp-sequence:list" -> Sequence,
    "amqp:amqp-value:*" -> Value
  )

  /** Of a section; -1 for none that is known. */
  def code(bytes: Array[Byte], at: Int): Int = {
    val number = AmqpBytes.descriptor(bytes, at)
    if (number >= 0) number.toInt
    else if (AmqpBytes.isSymbol(bytes, at + 1)) ByName.getOrElse(AmqpBytes.ascii(bytes, at + 1), -1)
    else -1
  }

  def isData(bytes: Array[Byte], at: Int): Boolean = code(bytes, at) == Data
}
