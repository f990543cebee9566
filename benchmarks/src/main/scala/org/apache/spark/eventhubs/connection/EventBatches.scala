package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.amqp.OutgoingEvent
import org.apache.spark.eventhubs.options.WriteDestination

/** Batches as a task fills them, which are made for a producer of the same package only. */
object EventBatches {

  /** One batch after the other, in the same array. */
  final class Fill(maxBytes: Int) {
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
}
