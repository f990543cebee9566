package org.apache.spark.eventhubs.amqp

import java.util.{Date, HashMap => JavaHashMap}

import org.apache.qpid.proton.amqp.messaging.{Data, MessageAnnotations}
import org.apache.qpid.proton.amqp.{Binary, Symbol}
import org.apache.qpid.proton.message.Message

/** An event as a link delivers it. */
object FakeMessage {

  def apply(sequenceNumber: Long, body: Array[Byte]): Array[Byte] = encoded(decoded(sequenceNumber, body))

  /** An event of a geo-replicated hub. */
  def ofEpoch(epoch: Int, sequenceNumber: Long, body: Array[Byte]): Array[Byte] = {
    val message = decoded(sequenceNumber, body)
    message.getMessageAnnotations.getValue.put(Symbol.valueOf("x-opt-offset"), s"$epoch:${100 * sequenceNumber}:7")
    encoded(message)
  }

  /** Returns the message before encoding, for tests that change it. */
  def decoded(sequenceNumber: Long, body: Array[Byte]): Message = {
    val annotations = new JavaHashMap[Symbol, AnyRef]
    annotations.put(Symbol.valueOf("x-opt-sequence-number"), Long.box(sequenceNumber))
    annotations.put(Symbol.valueOf("x-opt-offset"), sequenceNumber.toString)
    annotations.put(Symbol.valueOf("x-opt-enqueued-time"), new Date(sequenceNumber))
    val message = Message.Factory.create()
    message.setMessageAnnotations(new MessageAnnotations(annotations))
    message.setBody(new Data(new Binary(body)))
    message
  }

  /** Moves a reader's view to a message, as a reader does when it advances. */
  def show(message: Array[Byte], view: ReceivedEvent): Unit = view.set(message)

  def encoded(message: Message): Array[Byte] = {
    val buffer = new Array[Byte](1 << 20)
    buffer.take(message.encode(buffer, 0, buffer.length))
  }
}
