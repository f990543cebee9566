package org.apache.spark.eventhubs.send

/** The limits of one task over all its hubs, and its totals. A batch is open, then unconfirmed, then confirmed. */
private[eventhubs] final class TaskBudget(limits: SendLimits) {
  private var openBatches = 0
  private var openBytes = 0L
  private var openEvents = 0L

  /** Open batches without an event. */
  private var emptyBatches = 0
  private var unconfirmedBatches = 0
  private var unconfirmedBytes = 0L
  private var unconfirmedEvents = 0L
  private var confirmedTotals = SendTotals.Zero

  // Open batches.

  def opened(bytes: Int): Unit = {
    openBatches += 1
    emptyBatches += 1
    openBytes += bytes
  }

  /** An event was added to an open batch, which has so many now. */
  def added(bytes: Int, events: Int): Unit = {
    openBytes += bytes
    openEvents += 1
    if (events == 1) emptyBatches -= 1
  }

  def closed(bytes: Int, events: Int): Unit = {
    openBatches -= 1
    openBytes -= bytes
    openEvents -= events
    if (events == 0) emptyBatches -= 1
  }

  def dropped(): Unit = confirmedTotals = confirmedTotals.copy(dropped = confirmedTotals.dropped + 1)

  def isTooMuchOpen: Boolean = openBytes > limits.maxInFlightBytes

  def areTooManyOpen: Boolean = openBatches > limits.maxOpenBatches

  // Unconfirmed batches.

  def isAllConfirmed: Boolean = unconfirmedBatches == 0

  /** Number of events that were submitted and are not confirmed. */
  def unconfirmed: Long = unconfirmedEvents

  /** Whether one more unconfirmed batch of this size fits into the limits. */
  def hasRoom(bytes: Int): Boolean = isAllConfirmed ||
    (unconfirmedBytes + bytes <= limits.maxInFlightBytes && unconfirmedBatches < limits.maxInFlightBatches)

  def submitted(batch: InFlightBatch): Unit = {
    unconfirmedBatches += 1
    unconfirmedBytes += batch.bytes
    unconfirmedEvents += batch.count
  }

  def confirmed(batch: InFlightBatch): Unit = {
    unconfirmedBatches -= 1
    unconfirmedBytes -= batch.bytes
    unconfirmedEvents -= batch.count
    confirmedTotals = confirmedTotals + SendTotals(batch.count.toLong, batch.bytes.toLong, 1, 0, 0, 0)
  }

  def throttled(): Unit = confirmedTotals = confirmedTotals.copy(throttled = confirmedTotals.throttled + 1)

  def retried(): Unit = confirmedTotals = confirmedTotals.copy(retried = confirmedTotals.retried + 1)

  /** Totals of the confirmed batches. */
  def totals: SendTotals = confirmedTotals

  /** Totals, assuming everything that was added is confirmed. */
  def expected: SendTotals = confirmedTotals.copy(
    events = confirmedTotals.events + unconfirmedEvents + openEvents,
    bytes = confirmedTotals.bytes + unconfirmedBytes + openBytes,
    batches = confirmedTotals.batches + unconfirmedBatches + openBatches - emptyBatches
  )
}
