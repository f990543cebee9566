package localhub.log

import java.time.Clock
import java.util.concurrent.CopyOnWriteArrayList

import scala.collection.mutable

/** A log on the heap: fast, and gone with the process. An append that `budget` has no room for throws [[LogFullException]]. */
final class MemoryLog(clock: Clock, budget: MemoryBudget = new MemoryBudget(Long.MaxValue)) extends PartitionLog {

  private val entries = new mutable.ArrayDeque[LogEntry]
  private val listeners = new CopyOnWriteArrayList[Runnable]
  private var begin = 0L
  private var nextOffset = 0L
  private var last = LogPosition(-1, -1, Long.MinValue)
  private var closed = false

  override def bounds: LogBounds = synchronized {
    LogBounds(begin, last.sequenceNumber, last.offset, last.enqueuedMillis)
  }

  override def append(count: Int, encoder: EventEncoder): LogPosition = {
    val appended = synchronized {
      if (closed) throw new LogClosedException
      val now = math.max(clock.millis(), last.enqueuedMillis)
      val added = new Array[LogEntry](count)
      var offset = nextOffset
      var index = 0
      while (index < count) {
        val position = LogPosition(last.sequenceNumber + 1 + index, offset, now)
        val payload = encoder.encode(index, position)
        added(index) = LogEntry(position, payload)
        offset += payload.length
        index += 1
      }
      budget.take(MemoryBudget.cost(count.toLong, offset - nextOffset))
      entries ++= added
      nextOffset = offset
      if (count > 0) last = added(count - 1).position
      last
    }
    listeners.forEach(_.run())
    appended
  }

  override def sequenceNumberAt(start: StartingPoint): Long = synchronized {
    val wanted = start match {
      case StartingPoint.Earliest => begin
      case StartingPoint.Latest => last.sequenceNumber + 1
      case StartingPoint.SequenceNumber(value, inclusive) => if (inclusive) value else value + 1
      case StartingPoint.Offset(value, true) => first(_.position.offset >= value)
      case StartingPoint.Offset(value, false) => first(_.position.offset > value)
      case StartingPoint.EnqueuedTime(millis, true) => first(_.position.enqueuedMillis >= millis)
      case StartingPoint.EnqueuedTime(millis, false) => first(_.position.enqueuedMillis > millis)
    }
    math.max(begin, wanted)
  }

  override def read(sequenceNumber: Long): Option[LogEntry] = synchronized {
    if (sequenceNumber < begin || sequenceNumber > last.sequenceNumber) None
    else Some(entries((sequenceNumber - begin).toInt))
  }

  override def readBatch(sequenceNumber: Long, maxEvents: Int, maxBytes: Int): IndexedSeq[LogEntry] =
    synchronized(super.readBatch(sequenceNumber, maxEvents, maxBytes))

  override def retainedBytes: Long = synchronized {
    entries.headOption.fold(0L)(nextOffset - _.position.offset)
  }

  override def trimBefore(sequenceNumber: Long): Unit = synchronized {
    val removed = math.min(math.max(0L, sequenceNumber - begin), entries.length.toLong).toInt
    val before = retainedBytes
    entries.remove(0, removed)
    begin += removed
    budget.giveBack(MemoryBudget.cost(removed.toLong, before - retainedBytes))
  }

  override def onAppend(listener: Runnable): AutoCloseable = {
    listeners.add(listener)
    () => { listeners.remove(listener); () }
  }

  /** Lets go of the events; a closed log reads as one that retention has emptied. */
  override def close(): Unit = synchronized {
    closed = true
    trimBefore(last.sequenceNumber + 1)
    entries.clearAndShrink()
    listeners.clear()
  }

  /** First sequence number whose entry matches; `matches` must be monotone (false, then true). */
  private def first(matches: LogEntry => Boolean): Long = {
    var low = 0
    var high = entries.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (matches(entries(middle))) high = middle else low = middle + 1
    }
    begin + low
  }
}
