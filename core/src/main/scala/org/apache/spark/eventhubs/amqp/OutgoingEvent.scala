package org.apache.spark.eventhubs.amqp

import java.util.{Map => JavaMap}

/**
 * An event to send.
 *
 * @param properties   application properties: String, Boolean, Byte, Short, Integer, Long, Float, Double, `Date`
 *                     (sent as AMQP timestamp) or `Array[Byte]`, each sent with its own AMQP type
 * @param partitionKey stored with the event; the service hashes it when no partition is named
 * @param stamp        an application property that the connector adds; it replaces a user's property of its name
 */
private[spark] final case class OutgoingEvent(
    body: OutgoingBody,
    partitionKey: Option[String],
    properties: JavaMap[String, AnyRef],
    messageId: Option[String],
    correlationId: Option[String],
    contentType: Option[String],
    stamp: Option[StampProperty] = None
) {

  /** Length of body, names and values, for errors about an event that was not encoded. */
  def approximateBytes: Long = {
    var bytes = body.length.toLong + texts(partitionKey) + texts(messageId) + texts(correlationId) + texts(contentType)
    properties.forEach { (name, value) =>
      bytes += name.length + (value match {
        case array: Array[Byte] => array.length
        case other => other.toString.length
      })
    }
    bytes + stamp.fold(0)(own => own.name.utf8.length + own.bytes.length)
  }

  private def texts(text: Option[String]): Int = text.fold(0)(_.length)
}
