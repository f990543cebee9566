package org.apache.spark.eventhubs.send

import org.apache.spark.eventhubs.amqp.StampProperty
import org.apache.spark.eventhubs.options.WriteDestination

/**
 * Finds out what became of batches that were sent and never answered. Without it they are sent again, and are twice in
 * the hub when only the answer was lost. The service stores a batch whole or not at all, so its first event tells.
 */
private[spark] trait InDoubtBatchLookup {

  /**
   * Waits until nothing that was sent can still arrive, and looks into the hub.
   *
   * @param batches the stamp of the first event of each, and where it was sent to
   * @return for each, in order, whether it is in the hub
   */
  def areStored(batches: Seq[(StampProperty, WriteDestination)]): Seq[Boolean]
}
