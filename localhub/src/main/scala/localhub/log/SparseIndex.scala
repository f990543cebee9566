package localhub.log

/** Start of about one event per [[SparseIndex.IntervalBytes]] of a segment. Thread-safe. */
private[log] final class SparseIndex {

  // Plain arrays: a log of 4 GB has half a million entries, which as objects would take ten times the memory.
  private var sequenceNumbers = new Array[Long](16)
  private var batches = new Array[Int](16)
  private var events = new Array[Int](16)
  private var count = 0

  /** Called for every event in order; adds an entry when the last one is far enough back. */
  def offer(sequenceNumber: Long, batchStart: Int, eventStart: Int): Unit = synchronized {
    if (count == 0 || eventStart - events(count - 1) >= SparseIndex.IntervalBytes) {
      if (count == events.length) grow()
      sequenceNumbers(count) = sequenceNumber
      batches(count) = batchStart
      events(count) = eventStart
      count += 1
    }
  }

  def size: Int = synchronized(count)

  def entry(index: Int): IndexEntry = synchronized(IndexEntry(sequenceNumbers(index), batches(index), events(index)))

  /** The last entry at or before this event; None in an empty segment. */
  def floor(sequenceNumber: Long): Option[IndexEntry] = synchronized {
    val found = java.util.Arrays.binarySearch(sequenceNumbers, 0, count, sequenceNumber)
    val index = if (found >= 0) found else -found - 2
    Option.when(index >= 0)(entry(index))
  }

  private def grow(): Unit = {
    sequenceNumbers = java.util.Arrays.copyOf(sequenceNumbers, count * 2)
    batches = java.util.Arrays.copyOf(batches, count * 2)
    events = java.util.Arrays.copyOf(events, count * 2)
  }
}

private[log] object SparseIndex {
  val IntervalBytes: Int = 8 * 1024
}

/** Byte positions in the file of an event and of its batch. */
private[log] final case class IndexEntry(sequenceNumber: Long, batchStart: Int, eventStart: Int)
