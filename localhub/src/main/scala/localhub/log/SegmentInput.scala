package localhub.log

import java.io.{EOFException, RandomAccessFile}
import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.zip.CRC32C

/**
 * Reads a segment file through a buffer, so that a small event needs no system call.
 *
 * Each reader opens the file: an interrupted thread would close a shared FileChannel for all.
 *
 * @param length     bytes that may be read; a writer may be appending after them
 * @param fetchBytes bytes per system call, at most the buffer's size
 */
private[log] final class SegmentInput(path: Path, val length: Long, fetchBytes: Int) extends AutoCloseable {

  private val file = new RandomAccessFile(path.toFile, "r")
  private val buffer = SegmentInput.borrow()
  private val fetch = math.min(fetchBytes, buffer.length)
  private var bufferStart = 0L
  private var buffered = 0
  private var cursor = 0

  def position: Long = bufferStart + cursor

  def remaining: Long = length - position

  def seek(to: Long): Unit =
    if (to >= bufferStart && to <= bufferStart + buffered) cursor = (to - bufferStart).toInt
    else {
      bufferStart = to
      buffered = 0
      cursor = 0
    }

  def int(): Int = {
    require(4)
    val at = cursor
    cursor += 4
    (buffer(at) & 0xff) << 24 | (buffer(at + 1) & 0xff) << 16 | (buffer(at + 2) & 0xff) << 8 | (buffer(at + 3) & 0xff)
  }

  def bytes(count: Int): Array[Byte] = {
    val result = new Array[Byte](count)
    val here = math.min(count, buffered - cursor)
    System.arraycopy(buffer, cursor, result, 0, here)
    cursor += here
    if (here < count)
      if (count - here >= fetch) {
        // Larger than the buffer, so read directly from the file.
        file.seek(position)
        checkRemaining(count - here)
        file.readFully(result, here, count - here)
        seek(position + count - here)
      } else {
        require(count - here)
        System.arraycopy(buffer, cursor, result, here, count - here)
        cursor += count - here
      }
    result
  }

  /** Skips `count` bytes and adds them to the checksum. */
  def checksum(count: Int, into: CRC32C): Unit = {
    var left = count
    while (left > 0) {
      if (cursor == buffered) require(1)
      val here = math.min(left, buffered - cursor)
      into.update(buffer, cursor, here)
      cursor += here
      left -= here
    }
  }

  override def close(): Unit = {
    SegmentInput.release(buffer)
    file.close()
  }

  /** Loads the next `count` bytes into the buffer. */
  private def require(count: Int): Unit = if (buffered - cursor < count) {
    checkRemaining(count)
    val kept = buffered - cursor
    System.arraycopy(buffer, cursor, buffer, 0, kept)
    bufferStart += cursor
    cursor = 0
    buffered = kept
    val wanted = math.min(math.max(fetch, count).toLong, length - bufferStart).toInt
    file.seek(bufferStart + kept)
    file.readFully(buffer, kept, wanted - kept)
    buffered = wanted
  }

  private def checkRemaining(count: Int): Unit =
    if (remaining < count) throw new EOFException(s"$path ends at $length; $count bytes were expected at $position")
}

private[log] object SegmentInput {
  val BufferBytes: Int = 256 * 1024

  // A pool across threads; it grows to the largest number of concurrent readers.
  private val idle = new ConcurrentLinkedQueue[Array[Byte]]

  private def borrow(): Array[Byte] = Option(idle.poll()).getOrElse(new Array[Byte](BufferBytes))

  private def release(buffer: Array[Byte]): Unit = {
    idle.add(buffer)
    ()
  }
}
