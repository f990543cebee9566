package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.CompletableFuture

import org.apache.spark.eventhubs.amqp.StampProperty
import org.apache.spark.eventhubs.connection.{EventBatch, EventHubsProducer, ProducerLease}
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.retry.CancellableWait
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * Sends over the links that all tasks of a connection share. For batches in doubt it waits until none can still arrive,
 * and looks into the hub.
 *
 * @param calls  for opening links
 * @param lookup None where batches without an answer are just sent again
 * @param permit asked in each wait
 */
private[eventhubs] final class ReadBackDelivery(
    lease: ProducerLease,
    limits: SendLimits,
    calls: ProducerCalls,
    lookup: Option[InDoubtBatchLookup],
    clock: Clock,
    permit: SendPermit
) extends BatchDelivery
    with Logging {

  override def settleTime: Option[Duration] = lookup.map(_.settleTime)

  override def spreads: Boolean = false

  override def newBatch(destination: WriteDestination): EventBatch =
    calls(s"opening a link to ${DestinationQueue.place(destination)}")(_.newBatch(destination, limits.maxBatchBytes))

  override def isReady(destination: WriteDestination): Boolean = true

  override def prepare(batch: InFlightBatch): Unit = ()

  override def connection(batch: InFlightBatch): EventHubsProducer = lease.producer

  override def send(batch: InFlightBatch, over: EventHubsProducer): CompletableFuture[Unit] = over.send(batch.batch)

  override def confirmed(batch: InFlightBatch): Unit = ()

  override def linkLost(batch: InFlightBatch): Unit = ()

  override def stored(inDoubt: Seq[(InFlightBatch, EventHubsProducer)]): Seq[InFlightBatch] =
    lookup.toSeq.flatMap { hub =>
      settle(hub, inDoubt.map(_._2))
      val stamped = inDoubt.flatMap { case (batch, _) => batch.firstStamp.map(batch -> _) }
      val found = hub.areStored(stamped.map { case (batch, stamp) =>
        InDoubtBatch(stamp, batch.queue.destination, batch.count)
      })
      stamped.zip(found).collect { case ((batch, _), true) => batch }
    }

  override def arrivalTime(inDoubt: Seq[(InFlightBatch, EventHubsProducer)]): Duration =
    lookup.filter(_ => inDoubt.exists(_._2.isStalled)).fold(Duration.ZERO)(_.settleTimeAfterStall)

  override def close(): Unit = ()

  private def settle(hub: InDoubtBatchLookup, connections: Seq[EventHubsProducer]): Unit = {
    await(hub.settleTime)
    // Only now, because another task may notice it first.
    if (connections.exists(_.isStalled)) {
      logWarning(s"A connection to ${lease.hub} gave no answer. What was sent over it may arrive late, so the task " +
        s"waits ${hub.settleTimeAfterStall} before it looks into the hub")
      await(hub.settleTimeAfterStall.minus(hub.settleTime))
    }
  }

  private def await(time: Duration): Unit = CancellableWait(clock, time.toNanos, () => permit.check())
}

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
