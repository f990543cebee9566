package org.apache.spark.sql.eventhubs.sink

/**
 * How often each fingerprint is there: a hash table over plain arrays, 24 bytes per slot, at most half full, because a task
 * may have millions of them. Used by one thread.
 */
private[eventhubs] final class FingerprintCounts {

  private var highs = new Array[Long](FingerprintCounts.FirstSlots)
  private var lows = new Array[Long](FingerprintCounts.FirstSlots)

  /** All that was added; 0 for a free slot. */
  private var added = new Array[Int](FingerprintCounts.FirstSlots)
  private var taken = new Array[Int](FingerprintCounts.FirstSlots)
  private var used = 0

  def isEmpty: Boolean = used == 0

  /** @return how often it was there before */
  def add(fingerprint: Fingerprint, count: Int = 1): Int = {
    if (2 * (used + 1) > added.length) grow()
    val slot = slotOf(fingerprint.high, fingerprint.low)
    val before = added(slot)
    if (before == 0) {
      highs(slot) = fingerprint.high
      lows(slot) = fingerprint.low
      used += 1
    }
    added(slot) = before + count
    before
  }

  /** Takes one of them away. False when there is none left. */
  def take(fingerprint: Fingerprint): Boolean = {
    val slot = slotOf(fingerprint.high, fingerprint.low)
    val there = taken(slot) < added(slot)
    if (there) taken(slot) += 1
    there
  }

  /** The sum of the counts of which none was ever taken. */
  def untouched: Long = added.indices.iterator.filter(taken(_) == 0).map(added(_).toLong).sum

  /** What is left where some were taken. */
  def leftOver: Long = added.indices.iterator.filter(taken(_) > 0).map(slot => (added(slot) - taken(slot)).toLong).sum

  private def slotOf(high: Long, low: Long): Int = {
    val mask = added.length - 1
    // The bits of a fingerprint are evenly spread as they are.
    var slot = low.toInt & mask
    while (added(slot) != 0 && !(lows(slot) == low && highs(slot) == high)) slot = (slot + 1) & mask
    slot
  }

  private def grow(): Unit = {
    val (oldHighs, oldLows, oldAdded, oldTaken) = (highs, lows, added, taken)
    val slots = 2 * oldAdded.length
    highs = new Array[Long](slots)
    lows = new Array[Long](slots)
    added = new Array[Int](slots)
    taken = new Array[Int](slots)
    oldAdded.indices.foreach { old =>
      if (oldAdded(old) != 0) {
        val slot = slotOf(oldHighs(old), oldLows(old))
        highs(slot) = oldHighs(old)
        lows(slot) = oldLows(old)
        added(slot) = oldAdded(old)
        taken(slot) = oldTaken(old)
      }
    }
  }
}

private object FingerprintCounts {

  /** A power of two, as all sizes are. */
  private val FirstSlots = 64
}
