package org.apache.spark.eventhubs.send

import java.time.Duration

import org.apache.spark.eventhubs.amqp.StampProperty
import org.apache.spark.eventhubs.options.WriteDestination

/**
 * Finds out whether batches that were sent without a result are in the hub. Without a lookup they are sent again, and
 * are in the hub twice if only the answer was lost. The service stores a batch completely or not at all.
 */
private[spark] trait InDoubtBatchLookup {

  /** How long a batch may still arrive after its connection was aborted. */
  def settleTime: Duration

  /**
   * How long a batch may still arrive when its connection gave no answer for longer than [[settleTime]], or until a
   * time-out: something between this host and the service holds what was sent.
   */
  def settleTimeAfterStall: Duration

  /**
   * Reads the hub. The caller has waited until no batch that was sent can still arrive.
   *
   * @return for each batch, in the same order, whether it is in the hub
   * @throws org.apache.spark.eventhubs.EventHubsException when the hub has a part of one: a promotion, retention or
   *         compaction has removed the others
   */
  def areStored(batches: Seq[InDoubtBatch]): Seq[Boolean]
}

/**
 * A batch that was sent without a result.
 *
 * @param stamp  of its first event
 * @param events how many events it has
 */
private[spark] final case class InDoubtBatch(stamp: StampProperty, destination: WriteDestination, events: Int)
