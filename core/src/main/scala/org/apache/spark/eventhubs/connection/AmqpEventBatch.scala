package org.apache.spark.eventhubs.connection

import java.nio.ByteBuffer

import org.apache.spark.eventhubs.amqp.{AmqpWriter, EventEncoder, OutgoingEvent, ProducerAnnotations}
import org.apache.spark.eventhubs.options.WriteDestination

/**
 * A batch in its wire format, filled event by event. It belongs to a destination, not to a client.
 *
 * @param isNumbered whether its events have the numbers of an idempotent producer
 */
private[eventhubs] final class AmqpEventBatch(
    val destination: WriteDestination,
    override val maxBytes: Int,
    override val isNumbered: Boolean = false
) extends EventBatch {

  private val out = new AmqpWriter(math.min(maxBytes, AmqpEventBatch.FirstCapacity))
  private var events = 0

  /** Where the numbers of each event are. */
  private var numbersAt = Array.emptyIntArray
  private var numberedAs = Option.empty[(Long, Short, Int)]
  private var renumbered = Option.empty[Array[Byte]]

  destination match {
    case WriteDestination.ByKey(key) => EventEncoder.writeKey(key, out)
    case _ => ()
  }

  override def tryAdd(event: OutgoingEvent): EventBatch.AddResult = {
    val before = out.length
    // A body that cannot fit is not written, because writing it would only make the array grow.
    if (event.body.length <= maxBytes) write(keyed(event))
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

  override def number(id: Long, epoch: Short, first: Int): Unit = if (!numberedAs.contains((id, epoch, first))) {
    // A connection that was given up may still reference the array of an earlier attempt.
    if (numberedAs.isDefined) renumbered = Some(java.util.Arrays.copyOf(array, bytes))
    numberedAs = Some((id, epoch, first))
    val message = ByteBuffer.wrap(array)
    var event = 0
    while (event < events) {
      ProducerAnnotations.set(message, numbersAt(event), id, epoch, first + event)
      event += 1
    }
  }

  /** The message, in an array that may be longer than [[bytes]]. */
  private[eventhubs] def array: Array[Byte] = renumbered.getOrElse(out.array)

  private def write(event: OutgoingEvent): Unit =
    if (!isNumbered) EventEncoder.writeEvent(event, out)
    else {
      if (events == numbersAt.length) numbersAt = java.util.Arrays.copyOf(numbersAt, math.max(64, 2 * events))
      numbersAt(events) = EventEncoder.writeNumberedEvent(event, out)
    }

  private def keyed(event: OutgoingEvent): OutgoingEvent = destination match {
    case WriteDestination.ByKey(key) if event.partitionKey.isEmpty => event.copy(partitionKey = Some(key))
    case _ => event
  }
}

private[eventhubs] object AmqpEventBatch {

  /** Many destinations may have an open batch, and most of those stay small. */
  private val FirstCapacity = 16 * 1024
}
