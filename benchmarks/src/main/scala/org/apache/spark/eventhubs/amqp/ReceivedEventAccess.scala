package org.apache.spark.eventhubs.amqp

/** Creates and sets the read loop's view of an event. Only its own package may do that. */
object ReceivedEventAccess {

  /** The name of the view for benchmarks, which are outside Spark's packages. */
  type Event = ReceivedEvent

  def of(delivery: Array[Byte]): ReceivedEvent = {
    val received = new ReceivedEvent
    move(received, delivery)
    received
  }

  def move(received: ReceivedEvent, delivery: Array[Byte]): Unit = received.set(delivery)
}
