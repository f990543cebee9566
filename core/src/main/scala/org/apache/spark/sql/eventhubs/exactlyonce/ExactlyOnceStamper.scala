package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampProperty}
import org.apache.spark.sql.eventhubs.sink.{EventStamper, Fingerprint, FingerprintCounts}

/**
 * Skips the events that are in the hub and stamps the rest. Events with only a body are created with [[ofBareEvents]].
 *
 * @param sent          this task's events that earlier attempts wrote
 * @param onRowsChanged fails; its argument is the number of events that were sent before and are not among the task's
 *                      rows
 */
private[eventhubs] final class ExactlyOnceStamper(
    tag: Long,
    task: Int,
    attempt: Int,
    sent: FingerprintCounts,
    onRowsChanged: Long => Unit
) extends EventStamper {

  private val stamps = new StampEncoder(tag, task, attempt)
  private var skipped = 0L

  override def ofBareEvents: Option[StampProperty] = stamps(attributes = None)

  override def apply(event: OutgoingEvent, partition: Option[String], hub: Long): Option[OutgoingEvent] = {
    val attributes = Fingerprint.attributes(event, partition)
    if (!sent.isEmpty && sent.take(Fingerprint.combine(event.body, attributes).inHub(hub))) {
      skipped += 1
      None
    } else Some(if (attributes.isEmpty) event else event.copy(stamp = stamps(attributes)))
  }

  override def found: Long = skipped

  override def finish(): Unit = if (!sent.isEmpty && sent.unmatched > 0) onRowsChanged(sent.unmatched)
}
