package org.apache.spark.eventhubs.connection

import java.util.concurrent.CompletableFuture

import org.apache.spark.eventhubs.options.WriteDestination

/**
 * Sends batches to one event hub. Tries each operation once: what to try again, and when, is [[BatchAccumulator]]'s to
 * decide, which sees all that a task has to send. Futures fail with what the SDK threw. Safe for use by many threads.
 */
private[spark] trait EventHubsProducer extends AutoCloseable {

  /** Ids of the hub's partitions, in the order in which keys are hashed to them. */
  def partitionIds(): CompletableFuture[IndexedSeq[String]]

  /**
   * An empty batch; the first one for a destination opens its link.
   *
   * @param maxBytes upper bound of the batch; what the service allows is a bound in any case
   */
  def newBatch(destination: WriteDestination, maxBytes: Option[Int]): CompletableFuture[EventBatch]

  /** Completes when the service has confirmed all events of the batch. A batch that failed may be sent again. */
  def send(batch: EventBatch): CompletableFuture[Unit]
}
