package com.azure.messaging.eventhubs

import java.time.Instant

import com.azure.core.amqp.models.{AmqpAnnotatedMessage, AmqpMessageBody}
import com.azure.core.util.Context
import com.azure.messaging.eventhubs.models.{PartitionContext, PartitionEvent}

/** Events as the SDK hands them over. What makes them is private to its package, so this stands in it. */
object SdkEvents {

  def received(sequenceNumber: Long, body: Array[Byte]): PartitionEvent = {
    val message = new AmqpAnnotatedMessage(AmqpMessageBody.fromData(body))
    val system =
      new SystemProperties(message, sequenceNumber.toString, Instant.ofEpochMilli(sequenceNumber), sequenceNumber, null)
    partitionEvent(new EventData(message, system, Context.NONE))
  }

  private def partitionEvent(event: EventData): PartitionEvent =
    new PartitionEvent(new PartitionContext("namespace", "hub", "$Default", "0"), event, null)
}
