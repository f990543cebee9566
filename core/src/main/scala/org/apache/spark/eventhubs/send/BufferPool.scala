package org.apache.spark.eventhubs.send

import java.util.ArrayDeque

/**
 * Keeps the arrays of confirmed batches for the next batches of the same task. Without it, an array is copied six times
 * while it grows to a full batch, and the garbage collector treats each of the larger copies as a special case. Used by
 * one thread.
 *
 * @param maxBytes upper limit of the free arrays together
 */
private[eventhubs] final class BufferPool(maxBytes: Long) {

  private val free = new ArrayDeque[Array[Byte]]
  private var freeBytes = 0L

  def acquire(): Option[Array[Byte]] = {
    val array = Option(free.pollLast())
    array.foreach(freeBytes -= _.length)
    array
  }

  /** Adds an array that has no other user any more. */
  def release(array: Array[Byte]): Unit = if (freeBytes + array.length <= maxBytes) {
    free.addLast(array)
    freeBytes += array.length
  }
}
