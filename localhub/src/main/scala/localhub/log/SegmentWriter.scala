package localhub.log

import java.io.{FileDescriptor, IOException, RandomAccessFile}
import java.nio.ByteBuffer

/**
 * Appends batches to the last segment of a log. Used by one thread at a time.
 *
 * Does not use a FileChannel, because an interrupt during an append would close it.
 *
 * @param syncToDisk waits until the whole file is on disk
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

  /** Whether an earlier write or sync failed and the file's content is uncertain. */
  def isBroken: Boolean = broken

  def isEmpty: Boolean = end == SegmentFormat.FileHeaderBytes

  /**
   * Writes one batch after `tail` with one system call.
   *
   * @return the new end of the log
   * @throws UnwritableLogException for example when the disk is full; the file is then unchanged
   */
  def append(tail: LogTail, millis: Long, count: Int, encoder: EventEncoder): LogTail = {
    checkUsable()
    val starts = new Array[Int](count)
    val result = encode(tail, millis, count, encoder, starts)
    write()
    try {
      index(tail, starts)
      end += buffer.position()
      release()
    } catch {
      // The file has a batch that the log does not know. The next batch would repeat its sequence numbers.
      case failure: Throwable =>
        broken = true
        throw failure
    }
    result
  }

  /** Waits until all appends are on disk. After one failure, every further call fails. */
  def sync(): Unit = {
    checkUsable()
    try syncToDisk(file.getFD)
    catch {
      case failure: IOException =>
        // The operating system may drop pages that it cannot write and reports this once: the next sync would succeed.
        broken = true
        throw new UnwritableLogException(s"Cannot sync ${segment.file}", failure)
    }
  }

  override def close(): Unit = file.close()

  /** Why nothing can be appended any more. */
  def problem: Option[String] =
    Option.when(broken)(s"Cannot append to ${segment.file}: an earlier write failed; restart the local hub")

  private def checkUsable(): Unit =
    problem.foreach(text => throw new UnwritableLogException(text))

  private def encode(tail: LogTail, millis: Long, count: Int, encoder: EventEncoder, starts: Array[Int]): LogTail = {
    buffer.clear().position(SegmentFormat.BatchHeaderBytes)
    var last = tail.last
    var offset = tail.nextOffset
    var i = 0
    while (i < count) {
      last = LogPosition(tail.nextSequenceNumber + i, offset, millis)
      val payload = encoder.encode(i, last)
      starts(i) = buffer.position()
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

  private def index(tail: LogTail, starts: Array[Int]): Unit = {
    var i = 0
    while (i < starts.length) {
      segment.index.offer(tail.nextSequenceNumber + i, end.toInt, end.toInt + starts(i))
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
        throw new UnwritableLogException(s"Cannot append to ${segment.file}", failure)
    }

  private def ensure(bytes: Int): Unit = if (buffer.remaining < bytes) {
    val larger =
      ByteBuffer.allocate(math.max(Math.addExact(buffer.position(), bytes), Math.multiplyExact(buffer.capacity, 2)))
    buffer = larger.put(buffer.flip())
  }

  // A rare huge append must not keep its buffer, in each of many partitions.
  private def release(): Unit =
    if (buffer.capacity > SegmentWriter.LargestKept) buffer = ByteBuffer.allocate(SegmentWriter.UsualBatch)
}

private[log] object SegmentWriter {
  private val UsualBatch = 16 * 1024
  private val LargestKept = 256 * 1024
}
