package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampProperty}

/** Adds a property to the events of one task before they are sent. Used by one thread. */
private[eventhubs] trait EventStamper {

  /**
   * The stamp of an event that has only a body. Events are created with it, which is cheaper than a copy with a stamp.
   */
  def ofBareEvents: Option[StampProperty] = None

  /** @param hub see [[Fingerprint.inHub]] */
  def apply(event: OutgoingEvent, partition: Option[String], hub: Long): OutgoingEvent
}

private[eventhubs] object NoStamper extends EventStamper {
  override def apply(event: OutgoingEvent, partition: Option[String], hub: Long): OutgoingEvent = event
}
