package org.apache.spark.sql.eventhubs

import java.util.Date

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.eventhubs.client.{AmqpText, ReceivedEvent}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, MapData}
import org.apache.spark.unsafe.types.UTF8String

/** The columns `properties` and `systemProperties`. */
private[eventhubs] object EventProperties {

  private val Empty: MapData =
    new ArrayBasedMapData(new GenericArrayData(Array.empty[Any]), new GenericArrayData(Array.empty[Any]))

  /** What the sender set: AMQP application properties. */
  def ofApplication(event: ReceivedEvent): MapData = {
    val map = new TextMap
    event.eachApplicationProperty(map.add(_, _))
    map.result()
  }

  /** Message annotations without own columns, and the AMQP properties that are set. */
  def ofSystem(event: ReceivedEvent): MapData = {
    val sent = event.properties
    // An event that was sent bare has just what the service adds, which has columns of its own.
    if (!event.hasFurtherAnnotations && (sent eq null)) Empty
    else {
      val map = new TextMap
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

  /** The legacy shows these two times as epoch milliseconds. */
  private def millis(time: Date): Any = if (time eq null) null else Long.box(time.getTime)

  private final class TextMap {
    private val keys = new ArrayBuffer[Any](TextMap.Expected)
    private val values = new ArrayBuffer[Any](TextMap.Expected)

    def add(name: UTF8String, value: UTF8String): Unit = {
      keys += name
      values += value
    }

    /** What is not set is null in AMQP. */
    def addSet(name: String, value: Any): Unit =
      if (value != null) add(UTF8String.fromString(name), UTF8String.fromString(AmqpText.of(value)))

    def result(): MapData =
      if (keys.isEmpty) Empty
      else new ArrayBasedMapData(new GenericArrayData(keys.toArray), new GenericArrayData(values.toArray))
  }

  private object TextMap {
    val Expected = 4
  }
}
