package org.apache.spark.sql.eventhubs

import java.util.{Date, HashMap => JavaHashMap}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.eventhubs.client.{AmqpText, ReceivedEvent}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData, MapData}
import org.apache.spark.unsafe.types.UTF8String

/** The columns `properties` and `systemProperties`, for the events of one range. */
private[eventhubs] final class EventProperties {

  import EventProperties._

  private val names = new NameTexts

  /** What the sender set: AMQP application properties. */
  def ofApplication(event: ReceivedEvent): MapData = {
    val properties = event.applicationProperties
    if (properties.isEmpty) Empty
    else {
      val map = new TextMap(names, properties.size)
      properties.forEach((name, value) => map.add(name, AmqpText.of(value)))
      map.result()
    }
  }

  /** Message annotations without own columns, and the AMQP properties that are set. */
  def ofSystem(event: ReceivedEvent): MapData = {
    val annotations = event.annotations
    val sent = event.properties
    // An event that was sent bare has just what the service adds, which has columns of its own.
    if (annotations.size == OwnColumns.length && (sent eq null)) Empty
    else {
      val map = new TextMap(names, annotations.size)
      annotations.forEach { (symbol, value) =>
        val name = symbol.toString
        if (!OwnColumns.contains(name)) map.add(name, AmqpText.of(value))
      }
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

private[eventhubs] object EventProperties {

  /** Annotations of every event that are columns of their own. */
  private val OwnColumns = Array("x-opt-offset", "x-opt-sequence-number", "x-opt-enqueued-time")

  private val Empty: MapData =
    new ArrayBasedMapData(new GenericArrayData(Array.empty[Any]), new GenericArrayData(Array.empty[Any]))

  /** The legacy shows these two times as epoch milliseconds. */
  private def millis(time: Date): Any = if (time eq null) null else Long.box(time.getTime)

  /** A hub's events have the same few names of properties over and over: the text of each is encoded once. */
  private final class NameTexts {
    private val texts = new JavaHashMap[String, UTF8String]

    def apply(name: String): UTF8String = {
      val known = texts.get(name)
      if (known ne null) known
      else {
        val text = UTF8String.fromString(name)
        if (texts.size < NameTexts.Most) texts.put(name, text)
        text
      }
    }
  }

  private object NameTexts {

    /** Where senders put data into names, the names never end. */
    val Most = 256
  }

  private final class TextMap(names: NameTexts, expected: Int) {
    private val keys = new ArrayBuffer[Any](expected)
    private val values = new ArrayBuffer[Any](expected)

    def add(name: String, value: String): Unit = {
      keys += names(name)
      values += UTF8String.fromString(value)
    }

    /** What is not set is null in AMQP. */
    def addSet(name: String, value: Any): Unit = if (value != null) add(name, AmqpText.of(value))

    def result(): MapData =
      if (keys.isEmpty) Empty
      else new ArrayBasedMapData(new GenericArrayData(keys.toArray), new GenericArrayData(values.toArray))
  }
}
