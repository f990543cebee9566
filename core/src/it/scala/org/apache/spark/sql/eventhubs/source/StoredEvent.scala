package org.apache.spark.sql.eventhubs.source

import java.util.{Date, HashMap => JavaHashMap}

import org.apache.qpid.proton.amqp.messaging.{AmqpValue, ApplicationProperties, Data, MessageAnnotations, Section}
import org.apache.qpid.proton.amqp.{Binary, Symbol}
import org.apache.qpid.proton.message.Message

import localhub.log.{EventEncoder, LogPosition, PartitionLog}

/** Appends events to a partition's log as the service stores them, without the network. */
object StoredEvent {

  /** `count` events with the bodies `p<partition>-<sequence number>`. */
  def append(log: PartitionLog, partition: Int, count: Int, bodyBytes: Int = 0): Unit = {
    log.append(
      count,
      (_, at) => {
        val body = s"p$partition-${at.sequenceNumber}".padTo(bodyBytes, ' ').getBytes("UTF-8")
        encode(at, body, Map.empty, None, epoch = log.epochAt(at.sequenceNumber))
      }
    )
    ()
  }

  def append(log: PartitionLog, body: Array[Byte], properties: Map[String, AnyRef], key: Option[String]): Unit = {
    log.append(1, (_, at) => encode(at, body, properties, key, epoch = log.epochAt(at.sequenceNumber)))
    ()
  }

  def appendKeyed(log: PartitionLog, body: Array[Byte], key: String): Unit =
    append(log, body, Map.empty[String, AnyRef], Some(key))

  /** Appends an event without a value. */
  def appendTombstone(log: PartitionLog, key: String): Unit = {
    log.append(1, (_, at) => encode(at, Array.emptyByteArray, Map.empty, Some(key), new AmqpValue(null)))
    ()
  }

  /** Appends stored messages byte for byte. */
  def appendEncoded(log: PartitionLog, messages: Seq[Array[Byte]]): Unit = {
    log.append(
      messages.size,
      new EventEncoder {
        override def encode(index: Int, position: LogPosition): Array[Byte] = messages(index)
      }
    )
    ()
  }

  private def encode(
      at: LogPosition,
      body: Array[Byte],
      properties: Map[String, AnyRef],
      key: Option[String],
      value: Section = null,
      epoch: Option[Int] = None
  ): Array[Byte] = {
    val annotations = new JavaHashMap[Symbol, AnyRef]
    annotations.put(Symbol.valueOf("x-opt-sequence-number"), Long.box(at.sequenceNumber))
    epoch.foreach(number => annotations.put(Symbol.valueOf("x-opt-sequence-number-epoch"), Int.box(number)))
    val offset = epoch.fold(at.offset.toString)(number => s"$number:${at.offset}:${at.sequenceNumber}")
    annotations.put(Symbol.valueOf("x-opt-offset"), offset)
    annotations.put(Symbol.valueOf("x-opt-enqueued-time"), new Date(at.enqueuedMillis))
    key.foreach(annotations.put(Symbol.valueOf("x-opt-partition-key"), _))
    val message = Message.Factory.create()
    message.setMessageAnnotations(new MessageAnnotations(annotations))
    if (properties.nonEmpty) {
      val map = new JavaHashMap[String, AnyRef]
      properties.foreach { case (name, value) => map.put(name, value) }
      message.setApplicationProperties(new ApplicationProperties(map))
    }
    message.setBody(Option(value).getOrElse(new Data(new Binary(body))))
    val buffer = new Array[Byte](body.length + 4096)
    java.util.Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length))
  }
}
