package org.apache.spark.sql.eventhubs.sink

import java.nio.ByteBuffer

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampName, StampProperty}
import org.apache.spark.sql.catalyst.expressions.XXH64

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
