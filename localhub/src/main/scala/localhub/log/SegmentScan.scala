package localhub.log

import java.nio.file.{Files, Path}

import scala.util.Using

/**
 * The result of scanning a segment.
 *
 * @param validLength bytes up to the end of the last complete batch
 * @param tail        the end of the log after that batch
 */
private[log] final case class SegmentScan(
    index: SparseIndex,
    validLength: Long,
    tail: LogTail,
    ending: SegmentScan.Ending
)

private[log] object SegmentScan {

  /** What follows the last complete batch of the file. */
  sealed trait Ending
  object Ending {
    case object Clean extends Ending

    /** An append that was interrupted by the end of the process or the machine; it was never acknowledged. */
    case object Torn extends Ending

    /** Bytes that an interrupted append does not explain. */
    final case class Damaged(position: Long, what: String) extends Ending
  }

  def scan(file: Path, before: LogTail): SegmentScan =
    Using.resource(new SegmentInput(file, Files.size(file), SegmentInput.BufferBytes)) { bytes =>
      new SegmentScanner(bytes, before).run()
    }
}

/** Scans a segment batch by batch, until its end or the first error. */
private final class SegmentScanner(bytes: SegmentInput, before: LogTail) {
  import SegmentScan.Ending

  private val index = new SparseIndex
  private var tail = before
  private var validLength = SegmentFormat.FileHeaderBytes.toLong

  def run(): SegmentScan = {
    var ending = Option.empty[Ending]
    while (ending.isEmpty) ending = batch()
    SegmentScan(index, validLength, tail, ending.getOrElse(Ending.Clean))
  }

  /** Reads one batch, or returns why the scan ends. */
  private def batch(): Option[Ending] = {
    bytes.seek(validLength)
    if (bytes.remaining == 0) Some(Ending.Clean)
    else if (bytes.remaining < SegmentFormat.BatchHeaderBytes) Some(Ending.Torn)
    else
      BatchHeader.parse(bytes.bytes(SegmentFormat.BatchHeaderBytes)) match {
        // After a power loss there can be blocks that were allocated but never written.
        case None if isZeroFrom(validLength) => Some(Ending.Torn)
        case None => damaged(validLength, "a batch header has a wrong checksum")
        case Some(header) if header.firstSequenceNumber != tail.nextSequenceNumber =>
          damaged(validLength, s"sequence number ${header.firstSequenceNumber} follows ${tail.last.sequenceNumber}")
        case Some(header) if header.bodyLength > bytes.remaining => Some(Ending.Torn)
        case Some(header) => body(header)
      }
  }

  private def body(header: BatchHeader): Option[Ending] = {
    val bodyStart = validLength + SegmentFormat.BatchHeaderBytes
    val end = bodyStart + header.bodyLength
    val entries = Seq.newBuilder[IndexEntry]
    var sequence = header.firstSequenceNumber
    var lastStart = bodyStart
    var broken = Option.empty[Long]
    while (broken.isEmpty && sequence < header.nextSequenceNumber) {
      lastStart = bytes.position
      entries += IndexEntry(sequence, validLength.toInt, lastStart.toInt)
      if (!isWhole(end)) broken = Some(lastStart)
      sequence += 1
    }
    broken match {
      case Some(_) if end == bytes.length && isZeroFrom(end - SegmentScanner.ZeroTail) => Some(Ending.Torn)
      case Some(start) => damaged(start, "an event has a wrong checksum")
      case None if bytes.position != end => damaged(validLength, "a batch is longer than its events")
      case None =>
        entries.result().foreach(entry => index.offer(entry.sequenceNumber, entry.batchStart, entry.eventStart))
        tail = LogTail(
          header.position(sequence - 1, lastStart - bodyStart),
          header.position(sequence, end - bodyStart).offset
        )
        validLength = end
        None
    }
  }

  /** Skips one event; false when its bytes are damaged. */
  private def isWhole(end: Long): Boolean =
    if (end - bytes.position < SegmentFormat.EventHeaderBytes) false
    else {
      val crc = bytes.int()
      val length = bytes.int()
      if (length < 0 || length > end - bytes.position) false
      else {
        val checksum = EventChecksum.start(length)
        bytes.checksum(length, checksum)
        checksum.getValue.toInt == crc
      }
    }

  private def damaged(position: Long, what: String): Option[Ending] = Some(Ending.Damaged(position, what))

  private def isZeroFrom(start: Long): Boolean = {
    bytes.seek(math.max(start, validLength))
    var zero = true
    while (zero && bytes.remaining > 0) zero = bytes.bytes(1)(0) == 0
    zero
  }
}

private object SegmentScanner {

  /** A disk sector; an interrupted write leaves complete sectors. */
  val ZeroTail = 512
}
