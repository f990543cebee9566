package org.apache.spark.sql.eventhubs.source

import java.util.Date

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.sql.catalyst.util.MapData

/** The columns `properties` and `systemProperties`; a map is valid until the next one of its column. */
private[eventhubs] object EventProperties {

  /** What the sender set: AMQP application properties. */
  def ofApplication(): ReceivedEvent => MapData = {
    val map = new TextMap
    event =>
      if (event.hasApplicationProperties) {
        event.eachApplicationProperty(map.add(_, _))
        map.result()
      } else TextMap.Empty
  }

  /** Message annotations without own columns, and the AMQP properties that are set. */
  def ofSystem(): ReceivedEvent => MapData = {
    val map = new TextMap
    event => {
      val sent = event.properties
      // An event that was sent bare has just what the service adds, which has columns of its own.
      if (!event.hasFurtherAnnotations && (sent eq null)) TextMap.Empty
      else {
        event.eachFurtherAnnotation(map.add(_, _))
        if (sent ne null) {
          map.addSet("message-id", sent.getMessageId)
          map.addSet("user-id", sent.getUserId)
          map.addSet("to", sent.getTo)
          map.addSet("subject", sent.getSubject)
          map.addSet("reply-to", sent.getReplyTo)
          map.addSet("correlation-id", sent.getCorrelationId)
          map.addSet("content-type", sent.getContentType)
          map.addSet("content-encoding", sent.getContentEncoding)
          map.addSet("absolute-expiry-time", millis(sent.getAbsoluteExpiryTime))
          map.addSet("creation-time", millis(sent.getCreationTime))
          map.addSet("group-id", sent.getGroupId)
          map.addSet("group-sequence", sent.getGroupSequence)
          map.addSet("reply-to-group-id", sent.getReplyToGroupId)
        }
        map.result()
      }
    }
  }

  /** The legacy shows these two times as epoch milliseconds. */
  private def millis(time: Date): Any = if (time eq null) null else Long.box(time.getTime)
}
