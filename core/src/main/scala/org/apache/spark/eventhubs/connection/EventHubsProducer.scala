package org.apache.spark.eventhubs.connection

import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.eventhubs.options.WriteDestination

/**
 * Sends batches to one event hub. Tries each operation once: `BatchSender` decides what to retry and when, because it
 * knows all batches of a task. Futures fail with what the SDK threw. Safe for use by many threads.
 */
private[spark] trait EventHubsProducer extends AutoCloseable {

  /** Ids of the hub's partitions, in the order in which keys are hashed to them. */
  def partitionIds(): CompletableFuture[IndexedSeq[String]]

  /**
   * An empty batch. The first one for a destination opens its link.
   *
   * @param maxBytes largest size of the batch; the service's limit applies in any case
   */
  def newBatch(destination: WriteDestination, maxBytes: Option[Int]): CompletableFuture[EventBatch]

  /** Completes when the service has confirmed all events of the batch. A batch that failed may be sent again. */
  def send(batch: EventBatch): CompletableFuture[Unit]

  /** Closes the connection. Nothing that waits in it, here or in the kernel, is sent. */
  def abort(): Unit

  private val stalled = new AtomicBoolean

  /** Whether a batch had no answer for so long that what was sent with it may arrive much later. */
  def isStalled: Boolean = stalled.get

  def markStalled(): Unit = stalled.set(true)
}
