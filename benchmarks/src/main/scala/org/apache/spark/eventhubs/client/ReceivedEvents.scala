package org.apache.spark.eventhubs.client

import org.apache.qpid.proton.message.Message

/** The read loop's view of an event, which only its own package may move. */
object ReceivedEvents {
  def of(message: Message): ReceivedEvent = {
    val received = new ReceivedEvent
    received.set(message)
    received
  }
}
