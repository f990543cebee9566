package org.apache.spark.eventhubs.rdd

import java.time.Instant

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.EventHubsEvent
import org.apache.spark.eventhubs.amqp.{AmqpText, ReceivedEvent}

/** Copies each event into an [[EventHubsEvent]]. */
private[eventhubs] object EventHubsEventConverter extends EventConverter[EventHubsEvent] {

  override def open(range: OffsetRange): ReceivedEvent => EventHubsEvent = event =>
    EventHubsEvent(
      range.partitionId,
      event.sequenceNumber,
      event.offset,
      Instant.ofEpochMilli(event.enqueuedMillis),
      Option(event.partitionKey),
      event.body,
      event.applicationProperties.asScala.view.mapValues(value => if (value eq null) null else AmqpText.of(value)).toMap
    )
}
