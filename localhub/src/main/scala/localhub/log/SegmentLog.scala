package localhub.log

import java.io.{FileDescriptor, FileNotFoundException, IOException}
import java.nio.file.{NoSuchFileException, Path}
import java.time.Clock
import java.util.concurrent.CopyOnWriteArrayList

import scala.annotation.tailrec

/**
 * A log in files. One append is one write, so it is stored completely or not at all, and it survives the end of the
 * process as soon as `append` returns. With `fsync` it also survives a power loss. Memory holds an index, but no
 * events.
 *
 * @param segmentBytes size at which a new file starts; retention frees disk space file by file
 * @param syncToDisk   waits until a whole file is on disk
 * @throws CorruptLogException when the last file has damaged events
 */
private[localhub] final class SegmentLog(
    directory: Path,
    clock: Clock,
    fsync: Boolean,
    segmentBytes: Int = SegmentLog.SegmentBytes,
    syncToDisk: FileDescriptor => Unit = _.sync()
) extends PartitionLog {

  private val files = new LogDirectory(directory, syncToDisk)
  private val listeners = new CopyOnWriteArrayList[Runnable]

  private val opened = files.open()

  // Changed under the lock of `this`, which appends and trims hold; the writer also under `syncing`.
  @volatile private var closed = false
  @volatile private var writer = opened.writer
  @volatile private var written = opened.tail
  private val syncing = new Object

  // Read without a lock. Published events are complete, and with fsync they are on disk.
  @volatile private var segments = opened.segments
  @volatile private var published = opened.tail
  @volatile private var begin = retainedFrom(opened.begin)

  /** Whether `begin` could not be written. */
  private var isMarkMissing = false

  override def bounds: LogBounds = {
    // Begin first: it may increase concurrently, and must not be after an older end.
    val from = begin
    val last = published.last
    LogBounds(from.sequenceNumber, last.sequenceNumber, last.offset, last.enqueuedMillis)
  }

  override def retainedBytes: Long = {
    val from = begin
    published.nextOffset - from.offset
  }

  override def appendWaits: Boolean = fsync

  override def problem: Option[String] = writer.problem

  override def append(count: Int, encoder: EventEncoder): LogPosition = {
    val appended = synchronized {
      if (closed) throw new LogClosedException
      if (count > 0) {
        if (!writer.isEmpty && writer.length >= segmentBytes) roll()
        val now = math.max(clock.millis(), written.last.enqueuedMillis)
        written = writer.append(written, now, count, encoder)
        if (!fsync) published = written
      }
      written
    }
    if (fsync) awaitDisk(appended)
    listeners.forEach(_.run())
    appended.last
  }

  override def sequenceNumberAt(start: StartingPoint): Long = {
    val wanted = start match {
      case StartingPoint.Earliest => begin.sequenceNumber
      case StartingPoint.Latest => published.nextSequenceNumber
      case StartingPoint.SequenceNumber(value, inclusive) => if (inclusive) value else value + 1
      case StartingPoint.Offset(value, true) => first(_.offset >= value)
      case StartingPoint.Offset(value, false) => first(_.offset > value)
      case StartingPoint.EnqueuedTime(millis, true) => first(_.enqueuedMillis >= millis)
      case StartingPoint.EnqueuedTime(millis, false) => first(_.enqueuedMillis > millis)
    }
    math.max(begin.sequenceNumber, wanted)
  }

  override def read(sequenceNumber: Long): Option[LogEntry] = readBatch(sequenceNumber, 1, 1).headOption

  override def readBatch(sequenceNumber: Long, maxEvents: Int, maxBytes: Int): IndexedSeq[LogEntry] = {
    val until = published.nextSequenceNumber
    // Before `begin` is read: otherwise retention may remove the first one in between.
    val snapshot = segments
    if (sequenceNumber < begin.sequenceNumber || sequenceNumber >= until) IndexedSeq.empty
    else
      try Segment.read(snapshot, sequenceNumber, until, new ReadBudget(maxEvents, maxBytes))
      catch {
        // Retention removed the file during this read.
        case _: FileNotFoundException | _: NoSuchFileException if sequenceNumber < begin.sequenceNumber =>
          IndexedSeq.empty
      }
  }

  override def trimBefore(sequenceNumber: Long): Unit = {
    // `begin` is on disk at once, so the events before it must be. A new file has its first number on disk.
    if (sequenceNumber > math.max(begin.sequenceNumber, segments.last.firstSequenceNumber)) sync()
    trim(sequenceNumber)
  }

  /** Waits until the events are on disk. A broken writer has reported that some may be missing. */
  override def sync(): Unit = if (!fsync) syncing.synchronized(if (!closed && !writer.isBroken) writer.sync())

  private def trim(sequenceNumber: Long): Unit = synchronized {
    val wanted = math.max(begin.sequenceNumber, math.min(sequenceNumber, published.nextSequenceNumber))
    if (!closed && (wanted > begin.sequenceNumber || isMarkMissing)) {
      val from = retainedFrom(wanted)
      try files.saveBegin(wanted)
      catch {
        // A full disk has room again when whole files are gone. Without the mark, a start finds their successor.
        case _: IOException if filesBefore(wanted) > 0 =>
          isMarkMissing = true
          begin = from
          deleteFiles(wanted)
          files.saveBegin(wanted)
      }
      isMarkMissing = false
      begin = from
      if (wanted == written.nextSequenceNumber && !writer.isEmpty) roll()
      deleteFiles(wanted)
    }
  }

  /** A file can be deleted when the next one begins at or before the first retained event. */
  private def filesBefore(retained: Long): Int = segments.tail.takeWhile(_.firstSequenceNumber <= retained).length

  private def deleteFiles(retained: Long): Unit = {
    val (removed, left) = segments.splitAt(filesBefore(retained))
    segments = left
    removed.foreach(_.delete())
  }

  override def onAppend(listener: Runnable): AutoCloseable = {
    listeners.add(listener)
    () => { listeners.remove(listener); () }
  }

  /** Closes the files and leaves them unchanged; a closed log reads as empty. */
  override def close(): Unit = synchronized {
    if (!closed) {
      closed = true
      begin = SegmentLog.RetainedFrom(published.nextSequenceNumber, published.nextOffset)
      listeners.clear()
      // Appends that a broken writer did not sync were never acknowledged.
      try if (fsync && !writer.isBroken) awaitDisk(written)
      finally syncing.synchronized(writer.close())
    }
  }

  private def retainedFrom(sequenceNumber: Long): SegmentLog.RetainedFrom = SegmentLog.RetainedFrom(
    sequenceNumber,
    if (sequenceNumber == published.nextSequenceNumber) published.nextOffset
    else segments(Segment.indexOf(segments, sequenceNumber)).offsetOf(sequenceNumber)
  )

  /** First sequence number whose position matches; `matches` must be monotonic (false, then true). */
  @tailrec
  private def first(matches: LogPosition => Boolean): Long = {
    val until = published.nextSequenceNumber
    val snapshot = segments
    // The last event before a file shows whether the first match is in an earlier file.
    snapshot.lastIndexWhere(segment => !matches(segment.before.last)) match {
      case -1 => begin.sequenceNumber
      case index =>
        val segment = snapshot(index)
        val found =
          try Some(segment.firstMatch(until, matches).getOrElse(until))
          // Retention removed the file during this search.
          catch { case _: FileNotFoundException | _: NoSuchFileException if !segments.contains(segment) => None }
        found match {
          case Some(sequenceNumber) => sequenceNumber
          case None => first(matches)
        }
    }
  }

  // No append may wait for this file's sync when it closes.
  private def roll(): Unit = syncing.synchronized {
    if (fsync) {
      writer.sync()
      published = written
    }
    val next = files.create(written)
    writer.close()
    writer = files.newWriter(next)
    segments = segments :+ next
  }

  /** Group commit: the thread that gets the lock syncs for all appends so far. */
  private def awaitDisk(mine: LogTail): Unit = syncing.synchronized {
    if (published.nextSequenceNumber < mine.nextSequenceNumber) {
      val all = written
      writer.sync()
      published = all
    }
  }
}

private[localhub] object SegmentLog {

  /** Small enough that retention frees space soon and a start checks little; large enough that files stay few. */
  val SegmentBytes: Int = 64 * 1024 * 1024

  private final case class RetainedFrom(sequenceNumber: Long, offset: Long)
}
