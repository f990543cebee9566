package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.ByteBuffer

import org.apache.spark.eventhubs.client.{OutgoingEvent, OutgoingStamp, StampName}
import org.apache.spark.sql.catalyst.expressions.XXH64

/** What is added to the events of one task before they are sent. Used by one thread. */
private[eventhubs] trait EventStamping {

  /** What events of a body alone are stamped with. Each is made with it, which is cheaper than to copy it afterwards. */
  def ofBareEvents: Option[OutgoingStamp] = None

  /** @return None when the event is in the hub already */
  def apply(event: OutgoingEvent, partition: Option[String]): Option[OutgoingEvent]

  /** Events that were in the hub already. */
  def found: Long = 0

  /** All events of the task were given. */
  def finish(): Unit = ()
}

private[eventhubs] object NoStamping extends EventStamping {
  override def apply(event: OutgoingEvent, partition: Option[String]): Option[OutgoingEvent] = Some(event)
}

/**
 * Leaves out what is there and stamps the rest, which comes with [[ofBareEvents]].
 *
 * @param sent           what earlier attempts brought into the hub, as far as it is this task's
 * @param onRowsChanged  fails: so many events were sent before and are not among the task's rows
 */
private[eventhubs] final class SkipAndStamp(
    tag: Long,
    task: Int,
    attempt: Int,
    sent: FingerprintCounts,
    onRowsChanged: Long => Unit
) extends EventStamping {

  private val stamps = new StampWriter(tag, task, attempt)
  private var skipped = 0L

  override def ofBareEvents: Option[OutgoingStamp] = stamps(beside = None)

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
private[eventhubs] final class EventIds(tag: Long, task: Int) extends EventStamping {

  private val seen = new FingerprintCounts
  private val seed = XXH64.hashInt(task, tag)

  override def apply(event: OutgoingEvent, partition: Option[String]): Option[OutgoingEvent] = {
    val fingerprint = Fingerprint.of(event, partition)
    val own = XXH64.hashInt(seen.add(fingerprint), seed)
    val id = ByteBuffer.allocate(16)
      .putLong(XXH64.hashLong(fingerprint.high, own))
      .putLong(XXH64.hashLong(fingerprint.low, own + 1))
    Some(event.copy(stamp = Some(new OutgoingStamp(EventIds.Property, id.array))))
  }
}

private[eventhubs] object EventIds {
  val Property = StampName("spark-event-id")
}
