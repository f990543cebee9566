package com.azure.messaging.eventhubs

import org.apache.qpid.proton.message.Message

/** What the SDK's public client makes of a message, which it keeps to its own package. */
object SdkEvents {

  private val serializer = new EventHubMessageSerializer

  def of(message: Message): EventData = serializer.deserialize(message, classOf[EventData])
}
