package org.apache.spark.eventhubs.client

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.messaging.eventhubs.{EventData, EventDataBatch}
import org.apache.qpid.proton.amqp.Binary

/** A batch of the SDK. It belongs to a destination, not to a client: it may be sent by another than made it. */
private[client] final class EventHubsProducerBatch(val batch: EventDataBatch) extends OutgoingBatch {

  /** The SDK keeps a 64th of a batch free, and counts that as its size from the beginning. */
  private val reserved = batch.getSizeInBytes

  override def tryAdd(event: OutgoingEvent): OutgoingBatch.Added =
    try
      if (batch.tryAdd(EventHubsProducerBatch.eventData(event))) OutgoingBatch.Yes
      // Event and overhead exceed the limit together, though the event alone does not.
      else if (batch.getCount == 0) OutgoingBatch.TooLarge
      else OutgoingBatch.Full
    catch {
      case tooLarge: AmqpException if tooLarge.getErrorCondition == AmqpErrorCondition.LINK_PAYLOAD_SIZE_EXCEEDED =>
        OutgoingBatch.TooLarge
    }

  override def count: Int = batch.getCount

  override def bytes: Int = batch.getSizeInBytes - reserved

  override def maxBytes: Int = batch.getMaxSizeInBytes - reserved
}

private[client] object EventHubsProducerBatch {

  private val PartitionKeyAnnotation = "x-opt-partition-key"

  def eventData(event: OutgoingEvent): EventData = {
    val data = new EventData(event.body)
    if (!event.properties.isEmpty) {
      val properties = data.getProperties
      event.properties.forEach { (name, value) =>
        properties.put(
          name,
          value match {
            // To AMQP an array is a list of numbers; binary has its own type.
            case bytes: Array[Byte] => new Binary(bytes)
            case other => other
          }
        )
        ()
      }
    }
    event.stamp.foreach(stamp => data.getProperties.put(stamp.name, new Binary(stamp.bytes)))
    event.messageId.foreach(data.setMessageId)
    event.correlationId.foreach(data.setCorrelationId)
    event.contentType.foreach(data.setContentType)
    // Also for a batch to a partition: the service keeps the key of an event that was hashed here.
    event.partitionKey.foreach(key => data.getRawAmqpMessage.getMessageAnnotations.put(PartitionKeyAnnotation, key))
    data
  }
}
