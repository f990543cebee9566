package org.apache.spark.eventhubs.connection

import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean

import com.azure.messaging.eventhubs.{ProducerClaim, ProducerGrant}

import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.options.WriteDestination.ToPartition

/**
 * Sends batches to one event hub. Tries each operation once: `Sender` decides what to retry and when, because it
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

  /**
   * Opens a link for an idempotent producer, next to the link that others share. None when the service does not offer
   * such links.
   */
  def openIdempotent(partition: ToPartition, claim: ProducerClaim): CompletableFuture[Option[IdempotentLink]]

  /** Closes the connection. Nothing that waits in it, here or in the kernel, is sent. */
  def abort(): Unit

  private val stalled = new AtomicBoolean

  /** Whether a batch had no answer for so long that what was sent with it may arrive much later. */
  def isStalled: Boolean = stalled.get

  def markStalled(): Unit = stalled.set(true)
}

/** A link to one partition on which the service checks the numbers of the events. */
private[spark] trait IdempotentLink {

  /** The state that the service has given the producer. */
  def grant: ProducerGrant

  /** An empty batch, whose events can be numbered. */
  def newBatch(maxBytes: Option[Int]): EventBatch

  /** Completes when the service has confirmed all events of the batch, now or after an earlier attempt. */
  def send(batch: EventBatch): CompletableFuture[Unit]

  /** Does not wait for the service. */
  def close(): Unit
}

private[spark] object IdempotentLink {
  type Claim = ProducerClaim

  /**
   * @param id    of the producer; None lets the service choose one
   * @param epoch higher than that of the producer's links before; ignored without an id
   */
  def claim(id: Option[Long], epoch: Short): Claim = ProducerClaim(id, epoch)
}
