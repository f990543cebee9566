package org.apache.spark.eventhubs.send

import scala.collection.mutable

import org.apache.spark.eventhubs.connection.ProducerLease
import org.apache.spark.util.{Clock, SystemClock}

/**
 * All batches of one writing task, with an accumulator for each hub. The limits on open and unconfirmed batches are
 * over all hubs. When [[flush]] returns, all events are confirmed; when anything throws, some may be in their hub and
 * some not. Used by one thread.
 *
 * @param permit asked before each batch is given to a connection, and in each wait
 */
private[spark] final class TaskBatches private[eventhubs] (
    limits: SendLimits,
    results: SendResults,
    clock: Clock,
    permit: SendPermit
) {

  private[send] val sender = new BatchSender(limits, results, clock, permit)
  private[send] val buffers = new BufferPool(limits.maxInFlightBytes)
  private val hubs = mutable.ArrayBuffer.empty[BatchAccumulator]
  private var openBatches = 0
  private var openBytes = 0L
  private var droppedEvents = 0L

  /**
   * The accumulator of one more hub.
   *
   * @param lease  of the hub's producer; its owner closes it, after [[flush]] or [[abandon]]
   * @param lookup finds out what became of batches without an answer; None sends them again
   */
  def to(lease: ProducerLease, lookup: Option[InDoubtBatchLookup] = None): BatchAccumulator = {
    val calls = new ProducerCalls(lease, limits.sendTimeout, Int.MaxValue, clock, () => permit.check())
    val hub = new BatchAccumulator(lease, limits, calls, this, lookup)
    hubs += hub
    hub
  }

  /** Totals of the confirmed events. */
  def totals: SendTotals = sender.totals.copy(dropped = droppedEvents)

  /** Totals, assuming everything that was added is confirmed. */
  def expectedTotals: SendTotals = {
    val submitted = sender.submitted
    totals.copy(
      events = submitted.events + openBuilders.map(_.count.toLong).sum,
      bytes = submitted.bytes + openBytes,
      batches = submitted.batches + openBuilders.count(_.count > 0)
    )
  }

  /** Sends the open batches and waits until everything is confirmed. */
  def flush(): Unit = {
    hubs.foreach(_.submitAll())
    sender.awaitAll()
    hubs.foreach(_.clear())
  }

  /** For a task that gives up: sends nothing more, and waits until nothing that it sent can still arrive. */
  def abandon(): Unit = sender.abandon()

  private[send] def opened(bytes: Int): Unit = {
    openBatches += 1
    openBytes += bytes
  }

  private[send] def grew(bytes: Int): Unit = openBytes += bytes

  private[send] def closed(builder: BatchBuilder): Unit = {
    openBatches -= 1
    openBytes -= builder.bytes
  }

  private[send] def dropped(): Unit = droppedEvents += 1

  /** Sends open batches when there are too many, or when they are too large together. */
  private[send] def keepLimits(): Unit = {
    if (openBytes > limits.maxInFlightBytes) submit(_.maxByOption(_._2.bytes))
    if (openBatches > limits.maxOpenBatches) submit(_.find(_ => true))
  }

  private def submit(choose: Iterator[(BatchAccumulator, BatchBuilder)] => Option[(BatchAccumulator, BatchBuilder)]) =
    choose(hubs.iterator.flatMap(hub => hub.openBuilders.map(hub -> _))).foreach { case (hub, batch) =>
      hub.submit(batch)
    }

  private def openBuilders: Iterator[BatchBuilder] = hubs.iterator.flatMap(_.openBuilders)
}

private[spark] object TaskBatches {

  def apply(limits: SendLimits, permit: SendPermit): TaskBatches =
    new TaskBatches(limits, SendResults(), new SystemClock, permit)
}
