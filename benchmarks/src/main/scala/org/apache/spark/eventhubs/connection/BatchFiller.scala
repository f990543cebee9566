package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.amqp.OutgoingEvent
import org.apache.spark.eventhubs.options.WriteDestination

/**
 * Fills batches as a writing task does, one after the other in the same array. Only this package may create a batch.
 */
final class BatchFiller(maxBytes: Int) {
  private var batch = next(None)

  def add(event: OutgoingEvent): Int = {
    if (batch.tryAdd(event) == EventBatch.Full) {
      batch = next(batch.buffer)
      batch.tryAdd(event)
    }
    batch.bytes
  }

  private def next(buffer: Option[Array[Byte]]): AmqpEventBatch = {
    val next = new AmqpEventBatch(WriteDestination.AnyPartition, maxBytes)
    buffer.foreach(next.useBuffer)
    next
  }
}
