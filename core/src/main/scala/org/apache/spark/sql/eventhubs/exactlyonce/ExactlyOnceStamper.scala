package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampProperty}
import org.apache.spark.sql.eventhubs.sink.{EventStamper, Fingerprint}

/** Stamps the events of one attempt of a task. Events with only a body are created with [[ofBareEvents]]. */
private[eventhubs] final class ExactlyOnceStamper(tag: Long, task: Int, attempt: Int) extends EventStamper {

  private val stamps = new StampEncoder(tag, task, attempt)

  override def ofBareEvents: Option[StampProperty] = stamps(attributes = None)

  override def apply(event: OutgoingEvent, partition: Option[String], hub: Long): OutgoingEvent = {
    val attributes = Fingerprint.attributes(event, partition)
    if (attributes.isEmpty) event else event.copy(stamp = stamps(attributes))
  }
}
