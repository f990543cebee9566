package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.amqp.OutgoingEvent
import org.apache.spark.eventhubs.amqp.StampName
import org.apache.spark.eventhubs.amqp.StampProperty
import org.apache.spark.sql.eventhubs.exactlyonce.StampWriter

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.expressions.XXH64

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

/**
 * Gives each event an id that it has again when it is sent again, so that readers can drop duplicates: made of the batch,
 * the task, all that is sent, and how many equal rows the task had before. Equal rows of one batch have different ids.
 */
private[eventhubs] final class EventIdStamper(tag: Long, task: Int) extends EventStamper {

  private val seen = new FingerprintCounts
  private val seed = XXH64.hashInt(task, tag)

  override def apply(event: OutgoingEvent, partition: Option[String]): Option[OutgoingEvent] = {
    val fingerprint = Fingerprint.of(event, partition)
    val own = XXH64.hashInt(seen.add(fingerprint), seed)
    val id = ByteBuffer.allocate(16)
      .putLong(XXH64.hashLong(fingerprint.high, own))
      .putLong(XXH64.hashLong(fingerprint.low, own + 1))
    Some(event.copy(stamp = Some(new StampProperty(EventIdStamper.Property, id.array))))
  }
}

private[eventhubs] object EventIdStamper {
  val Property = StampName("spark-event-id")
}
