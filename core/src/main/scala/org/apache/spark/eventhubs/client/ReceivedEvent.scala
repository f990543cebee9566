package org.apache.spark.eventhubs.client

import com.azure.core.amqp.models.{AmqpAnnotatedMessage, AmqpMessageBodyType}
import com.azure.messaging.eventhubs.EventData

/**
 * The event that a reader stands at: one mutable view for all events of a range, so that reading makes no object per
 * event. Valid until the reader advances.
 */
final class ReceivedEvent {

  private var event: EventData = _

  private[client] def set(next: EventData): Unit = event = next

  def sequenceNumber: Long = event.getSequenceNumber

  /** As issued by the service, opaque. */
  def offset: String = event.getOffsetString

  def enqueuedMillis: Long = event.getEnqueuedTime.toEpochMilli

  /** Null for an event that was sent without a key: read once per row, so without an Option. */
  def partitionKey: String = event.getPartitionKey

  /**
   * The bytes of the body: of the Data section, shared with the SDK (do not change them). The SDK (5.21.3) delivers an
   * event whose body is an AMQP value or sequence with an empty body; where a version keeps it, its text is shown.
   */
  def body: Array[Byte] = {
    val body = message.getBody
    if (body.getBodyType == AmqpMessageBodyType.DATA) event.getBody else AmqpText.ofBody(body)
  }

  /** AMQP message with properties and annotations; reading annotations here is far cheaper than `getSystemProperties`. */
  def message: AmqpAnnotatedMessage = event.getRawAmqpMessage

  /** The SDK's own event, for users of the RDD interface. */
  def toEventData: EventData = event
}
