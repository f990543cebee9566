package org.apache.spark.eventhubs.send

import java.util.ArrayDeque

/**
 * Arrays of batches that are confirmed, for the next batches of the same task: an array that grows to a full batch is
 * copied six times on the way, and the garbage collector takes each of its larger forms for a special case. Used by one
 * thread.
 *
 * @param mostBytes kept at the same time
 */
private[eventhubs] final class BufferPool(mostBytes: Long) {

  private val free = new ArrayDeque[Array[Byte]]
  private var freeBytes = 0L

  def take(): Option[Array[Byte]] = {
    val taken = Option(free.pollLast())
    taken.foreach(freeBytes -= _.length)
    taken
  }

  /** Takes care of an array that nobody else will look at any more. */
  def give(array: Array[Byte]): Unit = if (freeBytes + array.length <= mostBytes) {
    free.addLast(array)
    freeBytes += array.length
  }
}
