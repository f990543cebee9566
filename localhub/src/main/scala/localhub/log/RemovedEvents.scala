package localhub.log

import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import java.util.BitSet

/**
 * The sequence numbers whose events compaction has removed. Immutable.
 *
 * @param base the number of the first bit
 */
private[log] final class RemovedEvents private (val base: Long, private val bits: BitSet) {

  def isEmpty: Boolean = bits.isEmpty

  def contains(sequenceNumber: Long): Boolean = {
    val index = sequenceNumber - base
    index >= 0 && index < Int.MaxValue && bits.get(index.toInt)
  }

  /** The first number from `sequenceNumber` on whose event was not removed. */
  def firstKept(sequenceNumber: Long): Long =
    if (contains(sequenceNumber)) base + bits.nextClearBit((sequenceNumber - base).toInt) else sequenceNumber

  /** How many numbers from `sequenceNumber` on are removed. */
  def countFrom(sequenceNumber: Long): Long = {
    val from = math.max(0L, sequenceNumber - base)
    if (from >= bits.length) 0L else bits.get(from.toInt, bits.length).cardinality.toLong
  }

  /** Those before `end`. */
  def before(end: Long): RemovedEvents =
    if (end - base >= bits.length) this else new RemovedEvents(base, bits.get(0, math.max(0L, end - base).toInt))

  /**
   * These and `more`, without those before `begin`, which retention has removed.
   *
   * @param begin the first retained sequence number
   */
  def and(more: Iterable[Long], begin: Long): RemovedEvents = {
    val first = if (isEmpty) begin else math.max(begin, base)
    val kept = math.min(first - base, bits.length.toLong).toInt
    val all = if (isEmpty) new BitSet else bits.get(kept, bits.length)
    more.foreach(sequenceNumber => if (sequenceNumber >= first) all.set(Math.toIntExact(sequenceNumber - first)))
    new RemovedEvents(first, all)
  }

  def words: Array[Long] = bits.toLongArray
}

private[log] object RemovedEvents {

  val Empty: RemovedEvents = new RemovedEvents(0, new BitSet)

  def apply(base: Long, words: Array[Long]): RemovedEvents = new RemovedEvents(base, BitSet.valueOf(words))
}

/** Keeps a partition's [[RemovedEvents]] in a file: crc:4, base:8, then the bits. Writes are atomic. */
private[localhub] final class RemovedEventsFile(file: Path) {

  private[log] def load(): RemovedEvents =
    if (!Files.exists(file)) RemovedEvents.Empty
    else {
      val buffer = ByteBuffer.wrap(Files.readAllBytes(file))
      val length = buffer.remaining - RemovedEventsFile.CrcBytes
      if (length < java.lang.Long.BYTES || length % java.lang.Long.BYTES != 0)
        throw new CorruptLogException(file, 0, "it is cut off")
      if (buffer.getInt() != SegmentFormat.crc(buffer.array, RemovedEventsFile.CrcBytes, length))
        throw new CorruptLogException(file, 0, "its checksum is wrong")
      val base = buffer.getLong()
      RemovedEvents(base, Array.fill(buffer.remaining / java.lang.Long.BYTES)(buffer.getLong()))
    }

  private[log] def save(removed: RemovedEvents): Unit = {
    val words = removed.words
    val buffer = ByteBuffer.allocate(RemovedEventsFile.CrcBytes + (1 + words.length) * java.lang.Long.BYTES)
    buffer.putInt(0).putLong(removed.base)
    words.foreach(buffer.putLong(_))
    val content = buffer.array
    buffer.putInt(
      0,
      SegmentFormat.crc(content, RemovedEventsFile.CrcBytes, content.length - RemovedEventsFile.CrcBytes)
    )
    AtomicFile.write(file, content)
  }
}

private[localhub] object RemovedEventsFile {
  private val CrcBytes = 4

  /** The file is in the folder of its partition. */
  val Name = "removed"
}
