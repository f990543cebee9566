package org.apache.spark.eventhubs.client

/**
 * Events as the AMQP messages that the SDK's own `EventData` would become. Written once, where the SDK encodes each
 * event three times between `tryAdd` and the wire (docs/adr/0005).
 */
private[client] object OutgoingEncoding {
  import AmqpWriter._

  private val PartitionKeyAnnotation = "x-opt-partition-key"

  /** A whole event, as an element of a batch. */
  def writeEvent(event: OutgoingEvent, out: AmqpWriter): Unit = {
    val start = out.beginData()
    // Also for a batch to a partition: the service keeps the key of an event that was hashed here.
    if (event.partitionKey.isDefined) writeKey(event.partitionKey.get, out)
    if (event.messageId.isDefined || event.correlationId.isDefined || event.contentType.isDefined)
      writeProperties(event, out)
    if (event.stamp.isDefined || !event.properties.isEmpty) {
      out.section(ApplicationPropertiesSection)
      out.map(event.properties, event.stamp)
    }
    out.section(DataSection)
    out.binary(event.body)
    out.endData(start)
  }

  /** What makes the service hash a key. */
  def writeKey(key: String, out: AmqpWriter): Unit = {
    out.section(MessageAnnotationsSection)
    val start = out.beginCompound()
    out.symbol(PartitionKeyAnnotation)
    out.string(key)
    out.endCompound(start, Map8, Map32, 2)
  }

  /** message-id, user-id, to, subject, reply-to, correlation-id, content-type; up to the last that is there. */
  private def writeProperties(event: OutgoingEvent, out: AmqpWriter): Unit = {
    out.section(PropertiesSection)
    val start = out.beginCompound()
    out.stringOrNothing(event.messageId)
    val fields =
      if (event.correlationId.isEmpty && event.contentType.isEmpty) 1
      else {
        (1 to 4).foreach(_ => out.nothing())
        out.stringOrNothing(event.correlationId)
        event.contentType.fold(6) { contentType =>
          out.symbol(contentType)
          7
        }
      }
    out.endCompound(start, List8, List32, fields)
  }
}
