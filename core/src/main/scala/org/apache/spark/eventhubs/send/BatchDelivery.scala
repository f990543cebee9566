package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.CompletableFuture

import org.apache.spark.eventhubs.connection.{EventBatch, EventHubsProducer}
import org.apache.spark.eventhubs.options.WriteDestination

/**
 * Gives a task's batches to the links of one hub, and finds out what became of those without an answer. The service
 * stores a batch completely or not at all. Used by one thread at a time.
 */
private[eventhubs] trait BatchDelivery {

  /**
   * How long a batch may still arrive after its connection was aborted. None where a batch without an answer is sent
   * again: it is in the hub twice if only the answer was lost. Then nothing is ever in doubt.
   */
  def settleTime: Option[Duration]

  /** Whether batches without a partition or key go to the partitions in turn, because each link needs a partition. */
  def spreads: Boolean

  /** An empty batch. May wait for a link to open. */
  def newBatch(destination: WriteDestination): EventBatch

  /** Whether [[prepare]] would not wait for a batch to this destination that was not sent yet. */
  def isReady(destination: WriteDestination): Boolean

  /** Makes sure that [[send]] has an open link. May wait for the service. */
  def prepare(batch: InFlightBatch): Unit

  /** The connection over which this batch is sent now. [[prepare]] was called before. */
  def connection(batch: InFlightBatch): EventHubsProducer

  /** @param over what [[connection]] returned */
  def send(batch: InFlightBatch, over: EventHubsProducer): CompletableFuture[Unit]

  def confirmed(batch: InFlightBatch): Unit

  /** The link of this batch may have ended. */
  def linkLost(batch: InFlightBatch): Unit

  /**
   * Those of the batches in doubt that the hub has. Nothing of the others can arrive any more. May wait.
   *
   * @param inDoubt with the connections of the last attempts, which were aborted if they gave no answer
   * @throws org.apache.spark.eventhubs.EventHubsException when that cannot be known
   */
  def stored(inDoubt: Seq[(InFlightBatch, EventHubsProducer)]): Seq[InFlightBatch]

  /** For a task that gives up: how long these batches may still arrive over their connections, which were aborted. */
  def arrivalTime(inDoubt: Seq[(InFlightBatch, EventHubsProducer)]): Duration

  /** Does not wait for the service. */
  def close(): Unit
}
