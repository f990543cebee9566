package org.apache.spark.sql.eventhubs.source

import java.util.Date

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.sql.catalyst.util.MapData

/** The columns `properties` and `systemProperties`. A map is valid until the next event. */
private[eventhubs] object EventProperties {

  /** The sender's AMQP application properties. */
  def ofApplication(): ReceivedEvent => MapData = {
    val map = new StringMapBuilder
    event =>
      if (event.hasApplicationProperties) {
        map.clear()
        event.eachApplicationProperty(map.add(_, _))
        map.result()
      } else StringMapBuilder.Empty
  }

  /** Message annotations that have no column, and the AMQP properties that are set. */
  def ofSystem(): ReceivedEvent => MapData = {
    val map = new StringMapBuilder
    event => {
      val sent = event.properties
      // Without these, the event has only annotations of the service that have their own columns.
      if (!event.hasFurtherAnnotations && (sent eq null)) StringMapBuilder.Empty
      else {
        map.clear()
        event.eachFurtherAnnotation(map.add(_, _))
        if (sent ne null) {
          map.addIfSet("message-id", sent.getMessageId)
          map.addIfSet("user-id", sent.getUserId)
          map.addIfSet("to", sent.getTo)
          map.addIfSet("subject", sent.getSubject)
          map.addIfSet("reply-to", sent.getReplyTo)
          map.addIfSet("correlation-id", sent.getCorrelationId)
          map.addIfSet("content-type", sent.getContentType)
          map.addIfSet("content-encoding", sent.getContentEncoding)
          map.addIfSet("absolute-expiry-time", millis(sent.getAbsoluteExpiryTime))
          map.addIfSet("creation-time", millis(sent.getCreationTime))
          map.addIfSet("group-id", sent.getGroupId)
          map.addIfSet("group-sequence", sent.getGroupSequence)
          map.addIfSet("reply-to-group-id", sent.getReplyToGroupId)
        }
        map.result()
      }
    }
  }

  /** The legacy shows these two times as epoch milliseconds. */
  private def millis(time: Date): Any = if (time eq null) null else Long.box(time.getTime)
}
