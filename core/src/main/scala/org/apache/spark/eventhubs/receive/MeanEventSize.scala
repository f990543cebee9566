package org.apache.spark.eventhubs.receive

/** Mean size of an event in bytes, learned from the events of one hub. Follows events that grow or shrink. */
private[spark] final class MeanEventSize {

  import MeanEventSize._

  @volatile private var learned = Option.empty[Double]
  private var totalEvents = 0L
  private var totalBytes = 0L

  /** None before the first event. */
  def mean: Option[Double] = learned

  /** Learns from `events` new events of `bytes` bytes in total. */
  def add(events: Long, bytes: Long): Unit = synchronized {
    if (events > 0) {
      val seen = bytes.toDouble / events
      learned = Some(learned.fold(seen)(known => if (seen > known) seen else known * (1 - Weight) + seen * Weight))
    }
  }

  /** Learns from running totals: only the increase since the last call counts. */
  def addTotals(events: Long, bytes: Long): Unit = synchronized {
    if (events > totalEvents) {
      add(events - totalEvents, bytes - totalBytes)
      totalEvents = events
      totalBytes = bytes
    }
  }
}

private object MeanEventSize {

  /**
   * Weight of a sample below the mean. A sample above it replaces the mean at once: with a mean that is too small, a
   * batch breaks its limit in bytes, or events fill the heap. With a mean that is too large, batches and link credit
   * are only smaller for a while. At 0.3, four samples of small events bring the mean to a quarter, where a link is
   * replaced. So a few small events do not replace a link.
   */
  private val Weight = 0.3
}
