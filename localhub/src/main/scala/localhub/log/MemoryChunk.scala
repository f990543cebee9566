package localhub.log

import java.util.Arrays

/**
 * Consecutive events of one partition in one array. One object per event would need more memory than most payloads, and
 * the garbage collector would mark and move all of them while a client is being measured.
 *
 * @param firstSequenceNumber of the first event
 * @param firstOffset         of the first event
 * @param capacity            payload bytes
 */
private final class MemoryChunk(val firstSequenceNumber: Long, firstOffset: Long, capacity: Int) {

  private val bytes = new Array[Byte](capacity)

  /** End position and enqueued time of each event. */
  private var ends = new Array[Int](MemoryChunk.FirstEvents)
  private var millis = new Array[Long](MemoryChunk.FirstEvents)
  private var count = 0
  private var isFull = false

  /** The sequence number after the last event. */
  def until: Long = firstSequenceNumber + count

  /** How many of `payloads`, from the first on, fit. */
  def fitting(payloads: Array[Array[Byte]]): Int = {
    var room = if (isFull) 0 else capacity - used
    var index = 0
    while (index < payloads.length && payloads(index).length <= room) {
      room -= payloads(index).length
      index += 1
    }
    index
  }

  /** After this call, [[add]] takes `events` more events without an allocation. */
  def ensureCapacity(events: Int): Unit = if (count + events > ends.length) {
    val most = math.max(count + events, 2 * ends.length)
    val moreMillis = Arrays.copyOf(millis, most)
    ends = Arrays.copyOf(ends, most)
    millis = moreMillis
  }

  /** Adds an event that fits; call [[ensureCapacity]] first. */
  def add(payload: Array[Byte], enqueuedMillis: Long): Unit = {
    val start = used
    System.arraycopy(payload, 0, bytes, start, payload.length)
    ends(count) = start + payload.length
    millis(count) = enqueuedMillis
    count += 1
  }

  /** The event with this sequence number, which must be in this chunk. */
  def entry(sequenceNumber: Long): LogEntry = {
    val index = (sequenceNumber - firstSequenceNumber).toInt
    val start = if (index == 0) 0 else ends(index - 1)
    LogEntry(LogPosition(sequenceNumber, firstOffset + start, millis(index)), bytes, start, ends(index) - start)
  }

  /**
   * Removes the events from `sequenceNumber` on. Readers may still hold their bytes, so these are not written again.
   */
  def truncate(sequenceNumber: Long): Unit = {
    count = math.min(count, (sequenceNumber - firstSequenceNumber).toInt)
    isFull = true
  }

  private def used: Int = if (count == 0) 0 else ends(count - 1)
}

private object MemoryChunk {

  private val FirstEvents = 16

  /** Header of a JVM array. Counting it makes a chunk fill whole heap regions, which the collector does not move. */
  private val ArrayHeader = 16
  private val Smallest = 16 * 1024
  private val Largest = 4 * 1024 * 1024

  /** Returns at least `bytes`. It is more in a large partition, so that chunks stay few and little space is unused. */
  def capacity(bytes: Int, retained: Long): Int = {
    val share = java.lang.Long.highestOneBit(math.min(Largest.toLong, math.max(Smallest.toLong, retained / 8))).toInt
    math.max(bytes, share - ArrayHeader)
  }
}
