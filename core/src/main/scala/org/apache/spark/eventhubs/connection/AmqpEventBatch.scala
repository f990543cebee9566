package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.amqp.{AmqpWriter, EventEncoder, OutgoingEvent}
import org.apache.spark.eventhubs.options.WriteDestination

/** A batch in its wire format, filled event by event. It belongs to a destination, not to a client. */
private[eventhubs] final class AmqpEventBatch(val destination: WriteDestination, override val maxBytes: Int)
    extends EventBatch {

  private val out = new AmqpWriter(math.min(maxBytes, AmqpEventBatch.FirstCapacity))
  private var events = 0

  destination match {
    case WriteDestination.ByKey(key) => EventEncoder.writeKey(key, out)
    case _ => ()
  }

  override def tryAdd(event: OutgoingEvent): EventBatch.AddResult = {
    val before = out.length
    // A body that cannot fit is not written, because writing it would only make the array grow.
    if (event.body.length <= maxBytes) EventEncoder.writeEvent(keyed(event), out)
    if (out.length > before && out.length <= maxBytes) {
      events += 1
      EventBatch.Added
    } else {
      out.truncate(before)
      if (events == 0) EventBatch.TooLarge else EventBatch.Full
    }
  }

  override def count: Int = events

  override def bytes: Int = out.length

  override def buffer: Option[Array[Byte]] = Some(out.array)

  override def useBuffer(larger: Array[Byte]): Unit = out.moveTo(larger)

  /** The message, in an array that may be longer than [[bytes]]. */
  private[eventhubs] def array: Array[Byte] = out.array

  private def keyed(event: OutgoingEvent): OutgoingEvent = destination match {
    case WriteDestination.ByKey(key) if event.partitionKey.isEmpty => event.copy(partitionKey = Some(key))
    case _ => event
  }
}

private[eventhubs] object AmqpEventBatch {

  /** Many destinations may have an open batch, and most of those stay small. */
  private val FirstCapacity = 16 * 1024
}
