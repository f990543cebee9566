package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.rdd.ReadTotals

/** The mean size of an event's body, learned from what the tasks report. */
private[eventhubs] final class LearnedEventSize {

  import LearnedEventSize._

  private var seen = ReadTotals.Zero
  private var known = Option.empty[Double]

  /** @param totals everything read so far, of which only what is new teaches something */
  def learn(totals: ReadTotals): Option[Double] = {
    val events = totals.events - seen.events
    if (events > 0) {
      val mean = (totals.bytes - seen.bytes).toDouble / events
      // Growth counts at once, because it is what breaks a limit; shrinking is believed slowly.
      known = Some(known.fold(mean)(before => if (mean > before) mean else before * (1 - Belief) + mean * Belief))
      seen = totals
    }
    known
  }
}

private object LearnedEventSize {
  private val Belief = 0.5
}
