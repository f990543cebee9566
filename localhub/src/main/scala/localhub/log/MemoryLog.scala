package localhub.log

import java.time.Clock
import java.util.concurrent.CopyOnWriteArrayList

import scala.collection.mutable

/**
 * A log on the heap; lost with the process. An append beyond `budget` throws [[LogFullException]].
 *
 * @param isReplicated whether its hub is geo-replicated
 */
private[localhub] final class MemoryLog(
    clock: Clock,
    budget: MemoryBudget = new MemoryBudget(Long.MaxValue),
    isReplicated: Boolean = false
) extends PartitionLog {

  /** Oldest first. The first chunk may hold removed events. */
  private val chunks = new mutable.ArrayDeque[MemoryChunk]
  private val listeners = new CopyOnWriteArrayList[Runnable]
  private var begin = 0L
  private var nextOffset = 0L
  private var last = LogPosition(-1, -1, Long.MinValue)
  private var closed = false
  private val epochs = Option.when(isReplicated)(new ReplicationEpochs)

  override def bounds: LogBounds = synchronized {
    LogBounds(begin, last.sequenceNumber, last.offset, last.enqueuedMillis)
  }

  override def append(count: Int, encoder: EventEncoder): LogPosition = {
    val appended = synchronized {
      if (closed) throw new LogClosedException
      val now = math.max(clock.millis(), last.enqueuedMillis)
      val payloads = new Array[Array[Byte]](count)
      var position = last
      var offset = nextOffset
      var index = 0
      while (index < count) {
        position = LogPosition(last.sequenceNumber + 1 + index, offset, now)
        payloads(index) = encoder.encode(index, position)
        offset += payloads(index).length
        index += 1
      }
      budget.reserve(MemoryBudget.cost(count.toLong, offset - nextOffset))
      try store(payloads, now)
      catch {
        case failed: OutOfMemoryError =>
          budget.release(MemoryBudget.cost(count.toLong, offset - nextOffset))
          throw failed
      }
      nextOffset = offset
      last = position
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
      case StartingPoint.Offset(value, true) => first(_.offset >= value)
      case StartingPoint.Offset(value, false) => first(_.offset > value)
      case StartingPoint.EnqueuedTime(millis, true) => first(_.enqueuedMillis >= millis)
      case StartingPoint.EnqueuedTime(millis, false) => first(_.enqueuedMillis > millis)
    }
    math.max(begin, wanted)
  }

  override def read(sequenceNumber: Long): Option[LogEntry] = synchronized {
    Option.when(sequenceNumber >= begin && sequenceNumber <= last.sequenceNumber)(entry(sequenceNumber))
  }

  override def readBatch(sequenceNumber: Long, maxEvents: Int, maxBytes: Int): IndexedSeq[LogEntry] = synchronized {
    val batch = IndexedSeq.newBuilder[LogEntry]
    val until = if (sequenceNumber < begin) sequenceNumber else math.min(end, sequenceNumber + maxEvents)
    var next = sequenceNumber
    var bytes = 0L
    var at = if (next < until) indexOf(next) else -1
    while (next < until) {
      if (next == chunks(at).until) at += 1
      val event = chunks(at).entry(next)
      bytes += event.length
      if (next == sequenceNumber || bytes <= maxBytes) {
        batch += event
        next += 1
      } else next = until
    }
    batch.result()
  }

  override def retainedBytes: Long = synchronized(nextOffset - firstOffset)

  override def trimBefore(sequenceNumber: Long): Unit = synchronized {
    val removed = math.max(0L, math.min(sequenceNumber, end) - begin)
    val before = retainedBytes
    begin += removed
    chunks.dropWhileInPlace(_.until <= begin)
    budget.release(MemoryBudget.cost(removed, before - retainedBytes))
  }

  override def epochAt(sequenceNumber: Long): Option[Int] = synchronized(epochs.map(_.at(sequenceNumber)))

  override def promote(unreplicated: Long): Unit =
    epochs.fold(super.promote(unreplicated))(promote(unreplicated, _))

  private def promote(unreplicated: Long, epochs: ReplicationEpochs): Unit = synchronized {
    val next = math.max(begin, math.min(end - unreplicated, end))
    val removed = end - next
    val before = retainedBytes
    if (removed > 0) {
      nextOffset = entry(next).position.offset
      last =
        LogPosition(next - 1, if (next > begin) entry(next - 1).position.offset else last.offset, last.enqueuedMillis)
      chunks.takeWhileInPlace(_.firstSequenceNumber < next)
      chunks.lastOption.foreach(_.truncate(next))
      budget.release(MemoryBudget.cost(removed, before - retainedBytes))
    }
    epochs.raise(next)
  }

  override def onAppend(listener: Runnable): AutoCloseable = {
    listeners.add(listener)
    () => { listeners.remove(listener); () }
  }

  /** Frees the events; a closed log reads as empty. */
  override def close(): Unit = synchronized {
    closed = true
    trimBefore(end)
    chunks.clearAndShrink()
    listeners.clear()
  }

  /** The sequence number after the last event. */
  private def end: Long = last.sequenceNumber + 1

  /** Offset of the first retained event, or of the next event. */
  private def firstOffset: Long = if (begin == end) nextOffset else entry(begin).position.offset

  /**
   * Fills the last chunk and puts the rest into a new one. Allocates everything before it adds the first event, so that
   * an OutOfMemoryError leaves the log unchanged.
   */
  private def store(payloads: Array[Array[Byte]], millis: Long): Unit = {
    val filled = chunks.lastOption
    val fitting = filled.fold(0)(_.fitting(payloads))
    filled.foreach(_.ensureCapacity(fitting))
    if (fitting < payloads.length) {
      val (fittingBytes, otherBytes) = (bytesOf(payloads, 0, fitting), bytesOf(payloads, fitting, payloads.length))
      val capacity = MemoryChunk.capacity(otherBytes, nextOffset - firstOffset)
      val chunk = new MemoryChunk(end + fitting, nextOffset + fittingBytes, capacity)
      chunk.ensureCapacity(payloads.length - fitting)
      chunks += chunk
    }
    // No allocation below this line, not even a closure.
    if (fitting > 0) addTo(filled.get, payloads, 0, fitting, millis)
    if (fitting < payloads.length) addTo(chunks.last, payloads, fitting, payloads.length, millis)
  }

  private def addTo(chunk: MemoryChunk, payloads: Array[Array[Byte]], from: Int, until: Int, millis: Long): Unit = {
    var index = from
    while (index < until) {
      chunk.add(payloads(index), millis)
      index += 1
    }
  }

  private def bytesOf(payloads: Array[Array[Byte]], from: Int, until: Int): Int = {
    var bytes = 0
    var index = from
    while (index < until) {
      bytes += payloads(index).length
      index += 1
    }
    bytes
  }

  private def entry(sequenceNumber: Long): LogEntry = chunks(indexOf(sequenceNumber)).entry(sequenceNumber)

  /** Index of the chunk that holds a retained event. */
  private def indexOf(sequenceNumber: Long): Int = {
    var low = 0
    var high = chunks.length - 1
    while (low < high) {
      val middle = (low + high) >>> 1
      if (chunks(middle).until > sequenceNumber) high = middle else low = middle + 1
    }
    low
  }

  /** First sequence number whose position matches; `matches` must be monotonic (false, then true). */
  private def first(matches: LogPosition => Boolean): Long = {
    var low = begin
    var high = end
    while (low < high) {
      val middle = (low + high) >>> 1
      if (matches(entry(middle).position)) high = middle else low = middle + 1
    }
    low
  }
}
