package org.apache.spark.eventhubs.amqp

/** The read loop's view of an event, which only its own package may move. */
object ReceivedEvents {
  def of(delivery: Array[Byte]): ReceivedEvent = {
    val received = new ReceivedEvent
    move(received, delivery)
    received
  }

  def move(received: ReceivedEvent, delivery: Array[Byte]): Unit = received.set(delivery)
}
