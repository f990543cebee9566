package org.apache.spark.sql.eventhubs

import java.time.OffsetDateTime
import java.util.{Map => JavaMap}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.eventhubs.client.{AmqpText, ReceivedEvent}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, MapData}
import org.apache.spark.unsafe.types.UTF8String

/** The columns `properties` and `systemProperties`. */
private[eventhubs] object EventProperties {

  val Publisher = "x-opt-publisher"

  /** These have columns of their own. */
  private val OwnColumns = Set("x-opt-offset", "x-opt-sequence-number", "x-opt-enqueued-time")

  private val Empty: MapData =
    new ArrayBasedMapData(new GenericArrayData(Array.empty[Any]), new GenericArrayData(Array.empty[Any]))

  /** What the sender set: AMQP application properties. */
  val ofApplication: ReceivedEvent => MapData = event => {
    val properties = event.message.getApplicationProperties
    if (properties.isEmpty) Empty
    else {
      val map = new TextMap(properties.size)
      properties.forEach((name, value) => map.add(name, AmqpText.of(value)))
      map.result()
    }
  }

  /** Message annotations without own columns, and the AMQP properties that are set. */
  val ofSystem: ReceivedEvent => MapData = event => {
    val annotations = event.message.getMessageAnnotations
    val map = new TextMap(annotations.size)
    annotations.forEach((name, value) => if (!OwnColumns(name)) map.add(name, AmqpText.of(value)))
    addAmqpProperties(event, map)
    map.result()
  }

  def annotation(event: ReceivedEvent, name: String): UTF8String = {
    val annotations: JavaMap[String, AnyRef] = event.message.getMessageAnnotations
    annotations.get(name) match {
      case null => null
      case value => UTF8String.fromString(AmqpText.of(value))
    }
  }

  private def addAmqpProperties(event: ReceivedEvent, map: TextMap): Unit = {
    val sent = event.message.getProperties
    map.addSet("message-id", sent.getMessageId)
    map.addSet("user-id", userId(sent.getUserId))
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

  /** The SDK returns an empty array for a message without a user id. */
  private def userId(bytes: Array[Byte]): Any = if ((bytes eq null) || bytes.isEmpty) null else bytes

  /** The legacy shows these two times as epoch milliseconds. */
  private def millis(time: OffsetDateTime): Any = if (time eq null) null else Long.box(time.toInstant.toEpochMilli)

  private final class TextMap(expected: Int) {
    private val keys = new ArrayBuffer[Any](expected)
    private val values = new ArrayBuffer[Any](expected)

    def add(name: String, value: String): Unit = {
      keys += UTF8String.fromString(name)
      values += UTF8String.fromString(value)
    }

    /** SDK getters answer null for what is not set. */
    def addSet(name: String, value: Any): Unit = if (value != null) add(name, AmqpText.of(value))

    def result(): MapData =
      if (keys.isEmpty) Empty
      else new ArrayBasedMapData(new GenericArrayData(keys.toArray), new GenericArrayData(values.toArray))
  }
}
