package org.apache.spark.eventhubs.send

import org.apache.spark.eventhubs.EventHubsException

/**
 * What one task has submitted, in all its hubs, until the service confirms it. Used by the task's thread.
 */
private[eventhubs] final class UnconfirmedBatches(limits: SendLimits) {

  private var batches = 0
  private var bytes = 0L
  private var pendingEvents = 0L
  private var confirmedTotals = SendTotals.Zero
  private var firstError = Option.empty[EventHubsException]

  def isEmpty: Boolean = batches == 0

  /** Number of events that are not confirmed. */
  def events: Long = pendingEvents

  /** Totals of the confirmed batches. */
  def totals: SendTotals = confirmedTotals

  /** Totals, assuming every submitted batch is confirmed. */
  def submitted: SendTotals = confirmedTotals.copy(
    events = confirmedTotals.events + pendingEvents,
    bytes = confirmedTotals.bytes + bytes,
    batches = confirmedTotals.batches + batches
  )

  /** Whether a batch of this size fits into the limits. */
  def hasRoom(more: Int): Boolean =
    isEmpty || (bytes + more <= limits.maxInFlightBytes && batches < limits.maxInFlightBatches)

  def add(batch: InFlightBatch): Unit = {
    batches += 1
    bytes += batch.bytes
    pendingEvents += batch.count
  }

  def confirmed(batch: InFlightBatch): Unit = {
    batches -= 1
    bytes -= batch.bytes
    pendingEvents -= batch.count
    confirmedTotals = confirmedTotals + SendTotals(batch.count.toLong, batch.bytes.toLong, 1, 0, 0, 0)
  }

  def throttled(): Unit = confirmedTotals = confirmedTotals.copy(throttled = confirmedTotals.throttled + 1)

  def retried(): Unit = confirmedTotals = confirmedTotals.copy(retried = confirmedTotals.retried + 1)

  /** Keeps the error that ends the task. */
  def failed(error: EventHubsException): EventHubsException = {
    firstError = Some(error)
    error
  }

  /** Throws the error that ended the task, if there is one. */
  def check(): Unit = if (firstError.isDefined) throw firstError.get
}
