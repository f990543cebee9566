package localhub.log

import java.util.Arrays

/**
 * Consecutive events of one partition behind each other in one array. An object per event would cost more than most events
 * hold, and the garbage collector would move and mark all of them while somebody measures a client.
 *
 * @param firstSequenceNumber of the first event
 * @param firstOffset         of the first event
 * @param capacity            payload bytes
 */
private final class MemoryChunk(val firstSequenceNumber: Long, firstOffset: Long, capacity: Int) {

  private val bytes = new Array[Byte](capacity)

  /** Where each event ends, and when it was stored. */
  private var ends = new Array[Int](MemoryChunk.FirstEvents)
  private var millis = new Array[Long](MemoryChunk.FirstEvents)
  private var count = 0

  /** The sequence number after the last event. */
  def until: Long = firstSequenceNumber + count

  /** How many of these, from the first on, there is room for. */
  def fitting(payloads: Array[Array[Byte]]): Int = {
    var room = capacity - used
    var index = 0
    while (index < payloads.length && payloads(index).length <= room) {
      room -= payloads(index).length
      index += 1
    }
    index
  }

  /** Makes sure that so many events can be added without an allocation. */
  def reserve(events: Int): Unit = if (count + events > ends.length) {
    val most = math.max(count + events, 2 * ends.length)
    val moreMillis = Arrays.copyOf(millis, most)
    ends = Arrays.copyOf(ends, most)
    millis = moreMillis
  }

  /** One that there is room for, and that was reserved. */
  def add(payload: Array[Byte], enqueuedMillis: Long): Unit = {
    val start = used
    System.arraycopy(payload, 0, bytes, start, payload.length)
    ends(count) = start + payload.length
    millis(count) = enqueuedMillis
    count += 1
  }

  /** The event with this sequence number, which must be here. */
  def entry(sequenceNumber: Long): LogEntry = {
    val index = (sequenceNumber - firstSequenceNumber).toInt
    val start = if (index == 0) 0 else ends(index - 1)
    LogEntry(LogPosition(sequenceNumber, firstOffset + start, millis(index)), bytes, start, ends(index) - start)
  }

  private def used: Int = if (count == 0) 0 else ends(count - 1)
}

private object MemoryChunk {

  private val FirstEvents = 16

  /** What an array takes beside its content; with it the chunks fill whole regions of the heap, where nothing moves them. */
  private val ArrayHeader = 16
  private val Smallest = 16 * 1024
  private val Largest = 4 * 1024 * 1024

  /** Room for `bytes` at least, and in a partition that holds much for more, so that chunks are few and a small part is empty. */
  def capacity(bytes: Int, retained: Long): Int = {
    val share = java.lang.Long.highestOneBit(math.min(Largest.toLong, math.max(Smallest.toLong, retained / 8))).toInt
    math.max(bytes, share - ArrayHeader)
  }
}
