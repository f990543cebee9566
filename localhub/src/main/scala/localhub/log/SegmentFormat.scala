package localhub.log

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.zip.CRC32C

/**
 * The bytes of a segment file, big-endian: a file header, then batches. One batch is one append.
 * {{{
 * file   magic:8 version:4 crc:4 lastSequenceNumber:8 lastOffset:8 lastMillis:8 nextOffset:8 (end of the previous file)
 * batch  crc:4 bodyLength:4 count:4 firstSequenceNumber:8 firstOffset:8 millis:8, then its events
 * event  crc:4 length:4 payload
 * }}}
 * A crc is CRC-32C of all bytes that follow it in its header or event. An append is one write that starts with the
 * batch header. A killed process therefore leaves a valid header with a short body, or less than a header.
 */
private[log] object SegmentFormat {
  val FileHeaderBytes = 48
  val BatchHeaderBytes = 36
  val EventHeaderBytes = 8

  private val Magic = "SEHUBLOG".getBytes(US_ASCII)
  private val Version = 1
  private val NamePattern = """(\d{20})\.log""".r

  /** Sorting by name sorts by first sequence number. */
  def fileName(firstSequenceNumber: Long): String = f"$firstSequenceNumber%020d.log"

  def firstSequenceNumber(fileName: String): Option[Long] = fileName match {
    case NamePattern(digits) => digits.toLongOption
    case _ => None
  }

  def fileHeader(before: LogTail): Array[Byte] = {
    val buffer = ByteBuffer.allocate(FileHeaderBytes)
    buffer.put(Magic).putInt(Version).putInt(0)
    buffer.putLong(before.last.sequenceNumber).putLong(before.last.offset).putLong(before.last.enqueuedMillis)
    buffer.putLong(before.nextOffset)
    buffer.putInt(12, crc(buffer.array, 16, FileHeaderBytes - 16)).array
  }

  /** @return the end of the previous file, or what is wrong with the header */
  def parseFileHeader(bytes: Array[Byte]): Either[String, LogTail] = {
    val buffer = ByteBuffer.wrap(bytes)
    if (bytes.length < FileHeaderBytes || !bytes.startsWith(Magic)) Left("this is not a segment of a local hub")
    else if (buffer.getInt(8) != Version)
      Left(s"its format is version ${buffer.getInt(8)}; this local hub reads version $Version")
    else if (buffer.getInt(12) != crc(bytes, 16, FileHeaderBytes - 16)) Left("the file header has a wrong checksum")
    else Right(LogTail(LogPosition(buffer.getLong(16), buffer.getLong(24), buffer.getLong(32)), buffer.getLong(40)))
  }

  def crc(bytes: Array[Byte], from: Int, length: Int): Int = {
    val checksum = new CRC32C
    checksum.update(bytes, from, length)
    checksum.getValue.toInt
  }
}

/** The header of one append in a segment. Its events have consecutive sequence numbers and one time. */
private[log] final case class BatchHeader(
    bodyLength: Int,
    count: Int,
    firstSequenceNumber: Long,
    firstOffset: Long,
    millis: Long
) {

  def nextSequenceNumber: Long = firstSequenceNumber + count

  /** Position of the event at `eventStart` bytes into the body. Offsets count payload bytes, not event headers. */
  def position(sequenceNumber: Long, eventStart: Long): LogPosition = LogPosition(
    sequenceNumber,
    firstOffset + eventStart - SegmentFormat.EventHeaderBytes * (sequenceNumber - firstSequenceNumber),
    millis
  )

  def write(into: ByteBuffer): Unit = {
    val start = into.position()
    into.putInt(0).putInt(bodyLength).putInt(count).putLong(firstSequenceNumber).putLong(firstOffset).putLong(millis)
    into.putInt(start, SegmentFormat.crc(into.array, start + 4, SegmentFormat.BatchHeaderBytes - 4))
    ()
  }
}

private[log] object BatchHeader {

  /** None when the checksum is wrong. */
  def parse(bytes: Array[Byte]): Option[BatchHeader] = {
    val buffer = ByteBuffer.wrap(bytes)
    val crc = buffer.getInt()
    val header = BatchHeader(buffer.getInt(), buffer.getInt(), buffer.getLong(), buffer.getLong(), buffer.getLong())
    Option.when(crc == SegmentFormat.crc(bytes, 4, SegmentFormat.BatchHeaderBytes - 4))(header)
  }
}
