package org.apache.spark.eventhubs

/** Mean size of an event in bytes, learned from the events of one hub. Follows events that grow or shrink. */
private[spark] final class MeanEventSize {

  import MeanEventSize._

  @volatile private var learned = Option.empty[Double]
  private var totalEvents = 0L
  private var totalBytes = 0L

  /** None before the first event. */
  def mean: Option[Double] = learned

  /** Learns from `events` new events, which have `bytes` bytes together. */
  def add(events: Long, bytes: Long): Unit = synchronized {
    if (events > 0) {
      val seen = bytes.toDouble / events
      learned = Some(learned.fold(seen)(known => if (seen > known) seen else known * (1 - Weight) + seen * Weight))
    }
  }

  /** Learns from running totals; only what is new since the last call counts. */
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
   * Weight of a smaller sample. A larger one replaces the mean at once, because too small a mean breaks a limit in bytes
   * or fills the heap, while too large a mean only makes batches and credit smaller for a while. At 0.3 it takes four
   * samples of small events to reach a quarter, at which a link is replaced: a few small events cost no new link.
   */
  private val Weight = 0.3
}
