package localhub.log

import java.nio.file.{Files, Path}

import scala.annotation.tailrec
import scala.collection.mutable
import scala.util.Using

/**
 * One file of a log. A complete one is checked at its first read, so that a large log opens fast.
 *
 * @param before the end of the log before its first event
 */
private[log] final class Segment(val file: Path, val before: LogTail, known: Option[SparseIndex]) {

  def firstSequenceNumber: Long = before.nextSequenceNumber

  private lazy val checked: SegmentScan = {
    val scan = SegmentScan.scan(file, before)
    scan.ending match {
      case SegmentScan.Ending.Clean => scan
      case SegmentScan.Ending.Torn =>
        throw new CorruptLogException(
          file,
          scan.validLength,
          "it ends early, and it is not the last file of its partition"
        )
      case SegmentScan.Ending.Damaged(position, what) => throw new CorruptLogException(file, position, what)
    }
  }

  def index: SparseIndex = known.getOrElse(checked.index)

  /** The offset of an event that is in this file. */
  def offsetOf(sequenceNumber: Long): Long =
    if (sequenceNumber == firstSequenceNumber) before.nextOffset
    else {
      val found = new mutable.ArrayBuffer[LogEntry]
      read(sequenceNumber, sequenceNumber + 1, new ReadBudget(1, 1), found)
      found.head.position.offset
    }

  /** Checks that the next file continues where this one ends. */
  def checkContinuedBy(next: Segment): Unit =
    if (known.isEmpty && checked.tail.nextSequenceNumber != next.firstSequenceNumber)
      throw new CorruptLogException(
        file,
        checked.validLength,
        s"the events ${checked.tail.nextSequenceNumber} to ${next.firstSequenceNumber - 1} are missing"
      )

  /** Adds events from `sequenceNumber` until `until`, as far as `budget` allows. */
  def read(sequenceNumber: Long, until: Long, budget: ReadBudget, into: mutable.Growable[LogEntry]): Unit =
    index.floor(sequenceNumber).foreach { entry =>
      Using.resource(new SegmentInput(file, Files.size(file), budget.fetchBytes)) { bytes =>
        val cursor = new SegmentCursor(file, bytes, entry)
        var next = entry.sequenceNumber
        while (next < sequenceNumber) {
          cursor.skip()
          next += 1
          cursor.hasEvent
        }
        while (next < until && cursor.hasEvent && budget.take(cursor.payloadLength)) {
          into += cursor.next()
          next += 1
        }
      }
    }

  /** First event before `until` whose position matches; `matches` must be monotonic (false, then true). */
  def firstMatch(until: Long, matches: LogPosition => Boolean): Option[Long] =
    if (index.size == 0) None
    else
      Using.resource(new SegmentInput(file, Files.size(file), SparseIndex.IntervalBytes)) { bytes =>
        var low = 0
        var high = index.size
        while (high - low > 1) {
          val middle = (low + high) >>> 1
          val entry = index.entry(middle)
          val before = entry.sequenceNumber >= until || matches(new SegmentCursor(file, bytes, entry).position)
          if (before) high = middle else low = middle
        }
        val entry = index.entry(low)
        val cursor = new SegmentCursor(file, bytes, entry)
        var next = entry.sequenceNumber
        while (next < until && cursor.hasEvent && !matches(cursor.position)) {
          cursor.skip()
          next += 1
        }
        Option.when(next < until && cursor.hasEvent)(next)
      }

  def delete(): Unit = {
    Files.deleteIfExists(file)
    ()
  }
}

private[log] object Segment {

  /** Index of the one with this event; -1 when it is before the first one. */
  def indexOf(segments: Vector[Segment], sequenceNumber: Long): Int =
    segments.lastIndexWhere(_.firstSequenceNumber <= sequenceNumber)

  /** Events from `sequenceNumber` until `until`, as far as `budget` allows; empty when no segment has the first one. */
  def read(
      segments: Vector[Segment],
      sequenceNumber: Long,
      until: Long,
      budget: ReadBudget
  ): IndexedSeq[LogEntry] = {
    val batch = new mutable.ArrayBuffer[LogEntry]
    @tailrec def from(next: Long, index: Int): Unit =
      if (next < until && segments.isDefinedAt(index) && !budget.isSpent) {
        if (index + 1 < segments.length) segments(index).checkContinuedBy(segments(index + 1))
        segments(index).read(next, until, budget, batch)
        from(sequenceNumber + batch.length, index + 1)
      }
    from(sequenceNumber, indexOf(segments, sequenceNumber))
    batch.toIndexedSeq
  }
}

/**
 * What one read may still return. The first event is always allowed, else an event above the limit would block a
 * reader.
 */
private[log] final class ReadBudget(maxEvents: Int, maxBytes: Int) {
  private var events = 0
  private var bytes = 0L

  def isSpent: Boolean = events >= maxEvents || (events > 0 && bytes >= maxBytes)

  def take(length: Int): Boolean = {
    val allowed = events < maxEvents && (events == 0 || bytes + length <= maxBytes)
    if (allowed) {
      events += 1
      bytes += length
    } else bytes = math.max(bytes, maxBytes.toLong)
    allowed
  }

  /** Estimated file bytes for the rest of this budget, so that a read of one event does not fetch 256 KB. */
  def fetchBytes: Int = {
    val perEvent = 2048L
    val wanted = math.min((maxEvents - events) * perEvent, maxBytes - bytes) + SparseIndex.IntervalBytes
    math.max(4096L, math.min(wanted, SegmentInput.BufferBytes.toLong)).toInt
  }
}
