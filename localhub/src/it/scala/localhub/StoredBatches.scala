package localhub

import java.nio.ByteBuffer
import java.util.concurrent.{CompletableFuture, TimeUnit}

import scala.collection.mutable.ArrayBuffer
import scala.util.Using

import com.azure.messaging.eventhubs.models.{EventPosition, PartitionEvent}

/** A sender's `number`th batch in a round; its events of 100 bytes are numbered. */
final case class Batch(round: Int, number: Int) {
  def body(index: Int): Array[Byte] = ByteBuffer.allocate(100).putInt(round).putInt(number).putInt(index).array
}

/** Reads stored batches and checks every event. */
object StoredBatches {

  /** The batches of a partition in order. Fails unless each is complete and stored once. */
  def read(hub: RunningHub, partition: Int, eventsPerBatch: Int): Seq[Batch] =
    Using.resource(hub.sdk.prefetchCount(4000).buildAsyncConsumerClient()) { consumer =>
      val last = Using.resource(hub.sdk.buildProducerClient())(
        _.getPartitionProperties(partition.toString).getLastEnqueuedSequenceNumber
      )
      val found = new ArrayBuffer[Batch]
      val done = new CompletableFuture[Unit]
      def take(event: PartitionEvent): Unit = {
        val at = event.getData.getSequenceNumber.longValue
        val body = ByteBuffer.wrap(event.getData.getBody)
        val (batch, index) = (Batch(body.getInt, body.getInt), body.getInt)
        // An append is stored completely or not at all, so every batch starts at a multiple of its size.
        if (index != at % eventsPerBatch || (index == 0) == found.lastOption.contains(batch))
          done.completeExceptionally(
            new AssertionError(s"event $at is number $index of $batch, after ${found.lastOption}")
          )
        if (index == 0) found += batch
        if (at == last) done.complete(())
      }
      val subscription = consumer.receiveFromPartition(partition.toString, EventPosition.earliest()).subscribe(
        (event: PartitionEvent) => take(event),
        (failure: Throwable) => { done.completeExceptionally(failure); () }
      )
      try done.get(10, TimeUnit.MINUTES)
      finally subscription.dispose()
      if ((last + 1) % eventsPerBatch != 0) throw new AssertionError(s"the last batch is incomplete: it ends at $last")
      if (found.distinct.size != found.size) throw new AssertionError("a batch is stored twice")
      found.toSeq
    }
}
