package org.apache.spark.sql.eventhubs.sink

/**
 * Counts fingerprints. It is a hash table of plain arrays with 24 bytes per slot, at most half full, because a task may
 * have millions of fingerprints. Used by one thread.
 */
private[eventhubs] final class FingerprintCounts {

  private var highs = new Array[Long](FingerprintCounts.FirstSlots)
  private var lows = new Array[Long](FingerprintCounts.FirstSlots)

  /** The number added; 0 for a free slot. */
  private var added = new Array[Int](FingerprintCounts.FirstSlots)
  private var taken = new Array[Int](FingerprintCounts.FirstSlots)
  private var used = 0
  private var untaken = 0L

  /** The number added and not taken. */
  def left: Long = untaken

  /** @return the count before */
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
    untaken += count
    before
  }

  /** Takes one. False when none is left. */
  def take(fingerprint: Fingerprint): Boolean = {
    val slot = slotOf(fingerprint.high, fingerprint.low)
    val isLeft = taken(slot) < added(slot)
    if (isLeft) {
      taken(slot) += 1
      untaken -= 1
    }
    isLeft
  }

  private def slotOf(high: Long, low: Long): Int = {
    val mask = added.length - 1
    // A fingerprint is a hash already.
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

  /** All sizes are powers of two. */
  private val FirstSlots = 64
}
