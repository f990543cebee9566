package org.apache.spark.sql.eventhubs.sink

import java.nio.ByteBuffer

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampName, StampProperty}
import org.apache.spark.sql.catalyst.expressions.XXH64

/**
 * Gives each event an id, so that readers can drop events that were sent again. The id is a hash of the batch, the
 * task, the event's fingerprint, and the number of equal rows that the task had before: a repeated attempt creates the
 * same ids, and equal rows of one batch have different ids.
 */
private[eventhubs] final class EventIdStamper(tag: Long, task: Int) extends EventStamper {

  private val seen = new FingerprintCounts
  private val seed = XXH64.hashInt(task, tag)

  override def apply(event: OutgoingEvent, partition: Option[String], hub: Long): OutgoingEvent = {
    val fingerprint = Fingerprint.of(event, partition).inHub(hub)
    val occurrence = XXH64.hashInt(seen.add(fingerprint), seed)
    val id = ByteBuffer.allocate(16)
      .putLong(XXH64.hashLong(fingerprint.high, occurrence))
      .putLong(XXH64.hashLong(fingerprint.low, occurrence + 1))
    event.copy(stamp = Some(new StampProperty(EventIdStamper.Property, id.array)))
  }
}

private[eventhubs] object EventIdStamper {
  val Property = StampName("spark-event-id")
}
