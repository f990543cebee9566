package localhub.log

import java.nio.file.Path

/** Iterates over the events of a segment in order and checks what it reads. Starts at `first`. */
private[log] final class SegmentCursor(file: Path, bytes: SegmentInput, first: IndexEntry) {

  private var batchStart = 0L
  private var batch = enter(first.batchStart.toLong)
  private var sequence = first.sequenceNumber
  bytes.seek(first.eventStart.toLong)

  /** Whether the cursor is at an event; false after the last one. */
  def hasEvent: Boolean = {
    if (sequence == batch.nextSequenceNumber && bytes.remaining > 0) batch = enter(bytes.position)
    sequence < batch.nextSequenceNumber
  }

  /** Position of the current event. */
  def position: LogPosition =
    batch.position(sequence, bytes.position - batchStart - SegmentFormat.BatchHeaderBytes)

  /** Payload bytes of the current event. Does not move the cursor. */
  def payloadLength: Int = {
    val start = bytes.position
    bytes.seek(start)
    bytes.int()
    val length = bytes.int()
    bytes.seek(start)
    checkLength(start, length)
    length
  }

  def next(): LogEntry = {
    val start = bytes.position
    val at = position
    val crc = bytes.int()
    val length = bytes.int()
    checkLength(start, length)
    val payload = bytes.bytes(length)
    if (crc != EventChecksum(payload)) throw new CorruptLogException(file, start, "an event has a wrong checksum")
    sequence += 1
    LogEntry(at, payload)
  }

  def skip(): Unit = {
    val length = payloadLength
    bytes.seek(bytes.position + SegmentFormat.EventHeaderBytes + length)
    sequence += 1
  }

  private def enter(start: Long): BatchHeader = {
    bytes.seek(start)
    if (bytes.remaining < SegmentFormat.BatchHeaderBytes)
      throw new CorruptLogException(file, start, "a batch header is cut off")
    batchStart = start
    BatchHeader.parse(bytes.bytes(SegmentFormat.BatchHeaderBytes))
      .getOrElse(throw new CorruptLogException(file, start, "a batch header has a wrong checksum"))
  }

  // The event's checksum covers the length, but a damaged length would be used before the checksum is compared.
  private def checkLength(start: Long, length: Int): Unit = {
    val end = batchStart + SegmentFormat.BatchHeaderBytes + batch.bodyLength
    if (length < 0 || start + SegmentFormat.EventHeaderBytes + length > end)
      throw new CorruptLogException(file, start, s"an event of $length bytes does not fit into its batch")
  }
}
