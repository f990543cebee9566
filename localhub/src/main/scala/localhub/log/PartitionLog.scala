package localhub.log

/**
 * The events of one partition: appended at the end, trimmed at the beginning, read from anywhere by any number of
 * readers. Knows bytes and positions, and nothing of AMQP. Safe for use by many threads.
 */
trait PartitionLog extends AutoCloseable {

  /** First and last retained event, as of now. */
  def bounds: LogBounds

  /**
   * Appends `count` events, all or none, with consecutive sequence numbers and one enqueued time. When it returns, the
   * events have the durability that the log promises.
   *
   * @return the position of the last event appended
   * @throws LogClosedException after `close`, as when the hub was deleted meanwhile
   */
  def append(count: Int, encoder: EventEncoder): LogPosition

  /** Whether `append` waits for a disk, so that it must not be called on a thread that serves others. */
  def appendWaits: Boolean = false

  /**
   * The sequence number that a reader starting at `start` reads first. It is past the last event when the start
   * lies behind everything (the reader then waits), and never before the first retained event.
   */
  def sequenceNumberAt(start: StartingPoint): Long

  /**
   * The retained event with this sequence number, as its encoder wrote it.
   *
   * @return None past the end, and for an event that retention has removed
   */
  def read(sequenceNumber: Long): Option[LogEntry]

  /**
   * The retained events from `sequenceNumber` on, in order, at least one if there is one: the cheap way to read on,
   * since a log on disk fetches many events at a time.
   *
   * @param maxBytes of payload, which only a first event that is larger exceeds
   * @return empty past the end, and when retention has removed `sequenceNumber`
   */
  def readBatch(sequenceNumber: Long, maxEvents: Int, maxBytes: Int): IndexedSeq[LogEntry]

  /** Bytes of payload that the retained events hold. */
  def retainedBytes: Long

  /** Removes the events before `sequenceNumber`, as retention does. */
  def trimBefore(sequenceNumber: Long): Unit

  /** Runs `listener` after each append, on the appending thread (so it must only signal), until closed. */
  def onAppend(listener: Runnable): AutoCloseable
}

/** The log was closed, by the end of the local hub or by the deletion of its event hub. */
final class LogClosedException
    extends RuntimeException("The partition is closed: its event hub was deleted or the local hub has ended.")

/**
 * One stored event.
 *
 * @param array  holds the bytes that its encoder made, and maybe others; it is shared, do not change it
 * @param start  of them in the array
 * @param length of them
 */
final case class LogEntry(position: LogPosition, array: Array[Byte], start: Int, length: Int) {

  /** A copy of what the encoder made. */
  def payload: Array[Byte] = java.util.Arrays.copyOfRange(array, start, start + length)
}

object LogEntry {
  def apply(position: LogPosition, payload: Array[Byte]): LogEntry = LogEntry(position, payload, 0, payload.length)
}

/** Makes the bytes of the event at `index` (0 until count) of an append, once its position is known. Called in order. */
trait EventEncoder {
  def encode(index: Int, position: LogPosition): Array[Byte]
}

/**
 * Where an event stands in its partition.
 *
 * @param sequenceNumber contiguous from 0
 * @param offset         byte position in the partition's stream: rising, with holes, so a number in between is legal to ask for
 * @param enqueuedMillis epoch milliseconds, never falling
 */
final case class LogPosition(sequenceNumber: Long, offset: Long, enqueuedMillis: Long)

/** Retained range of a log; an empty log has `last = begin - 1`. A log that never had an event has begin 0, last -1. */
final case class LogBounds(
    beginSequenceNumber: Long,
    lastSequenceNumber: Long,
    lastOffset: Long,
    lastEnqueuedMillis: Long
) {
  def isEmpty: Boolean = lastSequenceNumber < beginSequenceNumber
}

/** Where a reader asks to start. */
sealed trait StartingPoint
object StartingPoint {
  case object Earliest extends StartingPoint
  case object Latest extends StartingPoint
  final case class SequenceNumber(value: Long, inclusive: Boolean) extends StartingPoint
  final case class Offset(value: Long, inclusive: Boolean) extends StartingPoint
  final case class EnqueuedTime(epochMillis: Long, inclusive: Boolean) extends StartingPoint
}
