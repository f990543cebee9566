package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampProperty}
import org.apache.spark.sql.eventhubs.sink.{EventStamper, Fingerprint, FingerprintCounts}

/**
 * Leaves out what is there and stamps the rest, which comes with [[ofBareEvents]].
 *
 * @param sent           what earlier attempts brought into the hub, as far as it is this task's
 * @param onRowsChanged  fails: so many events were sent before and are not among the task's rows
 */
private[eventhubs] final class ExactlyOnceStamper(
    tag: Long,
    task: Int,
    attempt: Int,
    sent: FingerprintCounts,
    onRowsChanged: Long => Unit
) extends EventStamper {

  private val stamps = new StampWriter(tag, task, attempt)
  private var skipped = 0L

  override def ofBareEvents: Option[StampProperty] = stamps(beside = None)

  override def apply(event: OutgoingEvent, partition: Option[String]): Option[OutgoingEvent] = {
    val beside = Fingerprint.beside(event, partition)
    if (!sent.isEmpty && sent.take(Fingerprint.whole(event.body, beside))) {
      skipped += 1
      None
    } else Some(if (beside.isEmpty) event else event.copy(stamp = stamps(beside)))
  }

  override def found: Long = skipped

  override def finish(): Unit = if (!sent.isEmpty && sent.untouched > 0) onRowsChanged(sent.untouched)
}
