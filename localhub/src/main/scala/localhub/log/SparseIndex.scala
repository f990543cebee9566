package localhub.log

/** Where in a segment some of its events begin, about one per [[SparseIndex.IntervalBytes]]. Safe for use by many threads. */
private[log] final class SparseIndex {

  // Plain arrays: a log of 4 GB has half a million places, which as objects would take ten times the memory.
  private var sequenceNumbers = new Array[Long](16)
  private var batches = new Array[Int](16)
  private var events = new Array[Int](16)
  private var count = 0

  /** Called for every event in order; keeps the place if the last one kept is far enough behind. */
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

  def place(index: Int): EventPlace = synchronized(EventPlace(sequenceNumbers(index), batches(index), events(index)))

  /** The last place kept that is not behind this event; None in an empty segment. */
  def floor(sequenceNumber: Long): Option[EventPlace] = synchronized {
    val found = java.util.Arrays.binarySearch(sequenceNumbers, 0, count, sequenceNumber)
    val index = if (found >= 0) found else -found - 2
    Option.when(index >= 0)(place(index))
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

/** Bytes from the start of the file to an event, and to the batch that it is in. */
private[log] final case class EventPlace(sequenceNumber: Long, batchStart: Int, eventStart: Int)
