package localhub.log

import java.io.{FileDescriptor, IOException, RandomAccessFile, UncheckedIOException}
import java.nio.ByteBuffer

/**
 * Appends batches to the last segment of a log. Used by one thread at a time.
 *
 * Not a FileChannel: a thread that is interrupted while it appends would close it.
 *
 * @param syncToDisk waits until the disk has all of the file
 */
private[log] final class SegmentWriter(
    val segment: Segment,
    start: Long,
    syncToDisk: FileDescriptor => Unit = _.sync()
) extends AutoCloseable {

  private val file = new RandomAccessFile(segment.file.toFile, "rw")
  private var buffer = ByteBuffer.allocate(SegmentWriter.UsualBatch)
  private var end = start
  @volatile private var broken = false
  file.seek(start)

  def length: Long = end

  /** An earlier write or sync has failed in a way that leaves the file in doubt. */
  def isBroken: Boolean = broken

  def isEmpty: Boolean = end == SegmentFormat.FileHeaderBytes

  /**
   * Writes one batch after `tail` with one call to the operating system.
   *
   * @return where the log ends then
   * @throws UncheckedIOException when the disk is full, and the like; the file is then as it was before
   */
  def append(tail: LogTail, millis: Long, count: Int, encoder: EventEncoder): LogTail = {
    checkWhole()
    val places = new Array[Int](count)
    val result = encode(tail, millis, count, encoder, places)
    write()
    try {
      index(tail, places)
      end += buffer.position()
      release()
    } catch {
      // The file has what the log does not know of: a batch behind it would have the same sequence numbers.
      case failure: Throwable =>
        broken = true
        throw failure
    }
    result
  }

  /** Waits until the disk has everything that was appended. Once that has failed it fails for ever. */
  def sync(): Unit = {
    checkWhole()
    try syncToDisk(file.getFD)
    catch {
      case failure: IOException =>
        // The operating system may have dropped what it could not write, and says so once: a further sync would succeed.
        broken = true
        throw new UncheckedIOException(s"Cannot sync ${segment.file}: ${failure.getMessage}", failure)
    }
  }

  override def close(): Unit = file.close()

  private def checkWhole(): Unit = if (broken)
    throw new UncheckedIOException(
      new IOException(s"${segment.file}: an earlier write failed; restart the local hub")
    )

  private def encode(tail: LogTail, millis: Long, count: Int, encoder: EventEncoder, places: Array[Int]): LogTail = {
    buffer.clear().position(SegmentFormat.BatchHeaderBytes)
    var last = tail.last
    var offset = tail.nextOffset
    var i = 0
    while (i < count) {
      last = LogPosition(tail.nextSequenceNumber + i, offset, millis)
      val payload = encoder.encode(i, last)
      places(i) = buffer.position()
      ensure(SegmentFormat.EventHeaderBytes + payload.length)
      buffer.putInt(EventChecksum(payload)).putInt(payload.length).put(payload)
      offset += payload.length
      i += 1
    }
    val bodyLength = buffer.position() - SegmentFormat.BatchHeaderBytes
    val bodyEnd = buffer.position()
    buffer.position(0)
    BatchHeader(bodyLength, count, tail.nextSequenceNumber, tail.nextOffset, millis).write(buffer)
    buffer.position(bodyEnd)
    LogTail(last, offset)
  }

  private def index(tail: LogTail, places: Array[Int]): Unit = {
    var i = 0
    while (i < places.length) {
      segment.index.offer(tail.nextSequenceNumber + i, end.toInt, end.toInt + places(i))
      i += 1
    }
  }

  private def write(): Unit =
    try file.write(buffer.array, 0, buffer.position())
    catch {
      case failure: IOException =>
        try {
          file.setLength(end)
          file.seek(end)
        } catch { case _: IOException => broken = true }
        throw new UncheckedIOException(s"Cannot append to ${segment.file}: ${failure.getMessage}", failure)
    }

  private def ensure(bytes: Int): Unit = if (buffer.remaining < bytes) {
    val larger =
      ByteBuffer.allocate(math.max(Math.addExact(buffer.position(), bytes), Math.multiplyExact(buffer.capacity, 2)))
    buffer = larger.put(buffer.flip())
  }

  // A rare huge append must not hold its memory for ever, in each of many partitions.
  private def release(): Unit =
    if (buffer.capacity > SegmentWriter.LargestKept) buffer = ByteBuffer.allocate(SegmentWriter.UsualBatch)
}

private[log] object SegmentWriter {
  private val UsualBatch = 16 * 1024
  private val LargestKept = 256 * 1024
}
