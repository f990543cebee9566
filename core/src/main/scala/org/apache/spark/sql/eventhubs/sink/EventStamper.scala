package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampProperty}

/** What is added to the events of one task before they are sent. Used by one thread. */
private[eventhubs] trait EventStamper {

  /** What events of a body alone are stamped with. Each is made with it, which is cheaper than to copy it afterwards. */
  def ofBareEvents: Option[StampProperty] = None

  /** @return None when the event is in the hub already */
  def apply(event: OutgoingEvent, partition: Option[String]): Option[OutgoingEvent]

  /** Events that were in the hub already. */
  def found: Long = 0

  /** All events of the task were given. */
  def finish(): Unit = ()
}

private[eventhubs] object NoStamper extends EventStamper {
  override def apply(event: OutgoingEvent, partition: Option[String]): Option[OutgoingEvent] = Some(event)
}
