package com.azure.messaging.eventhubs

import org.apache.qpid.proton.message.Message

/** Converts a message to the event of the SDK's public client. Only this package may call the SDK's serializer. */
object SdkEventDecoder {

  private val serializer = new EventHubMessageSerializer

  def of(message: Message): EventData = serializer.deserialize(message, classOf[EventData])
}
