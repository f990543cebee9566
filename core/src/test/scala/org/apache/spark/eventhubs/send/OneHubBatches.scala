package org.apache.spark.eventhubs.send

import org.apache.spark.eventhubs.amqp.OutgoingEvent
import org.apache.spark.eventhubs.background.ManualBackground
import org.apache.spark.eventhubs.connection.ProducerLease
import org.apache.spark.util.ManualTime

/** The batches of a task that writes to one hub. */
final class OneHubBatches private[eventhubs] (
    lease: ProducerLease,
    batches: Sender,
    lookup: Option[InDoubtBatchLookup] = None
) {
  private val accumulator = batches.to(lease, lookup)

  def add(event: OutgoingEvent, partition: Option[String]): Unit = accumulator.add(event, partition)
  def flush(): Unit = batches.flush()
  def abandon(): Unit = batches.abandon()
  def totals: SendTotals = batches.totals
  def expectedTotals: SendTotals = batches.expectedTotals
}

object OneHubBatches {
  private[eventhubs] def apply(lease: ProducerLease, limits: SendLimits, permit: SendPermit): OneHubBatches =
    new OneHubBatches(lease, Sender(limits, permit, new ManualBackground(new ManualTime)))
}
