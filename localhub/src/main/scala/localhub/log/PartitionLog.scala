package localhub.log

/**
 * The events of one partition: appended at the end, trimmed at the beginning, read from any position by any number of
 * readers. Knows bytes and positions, but not AMQP. Thread-safe.
 */
trait PartitionLog extends AutoCloseable {

  /** The first and last retained event. */
  def bounds: LogBounds

  /**
   * Appends `count` events, all or none, with consecutive sequence numbers and one enqueued time. They are as durable
   * as the log promises when this returns.
   *
   * @return the position of the last event appended
   * @throws LogClosedException after `close`, for example when the hub was deleted
   */
  def append(count: Int, encoder: EventEncoder): LogPosition

  /** Whether `append` waits for a disk. It must then not be called on an I/O thread. */
  def appendWaits: Boolean = false

  /** Waits until all appended events survive a power loss, where the log keeps them in files. */
  def sync(): Unit = ()

  /**
   * The first sequence number for a reader that starts at `start`. Never before the first retained event; after the
   * last event when the reader must wait for new ones.
   */
  def sequenceNumberAt(start: StartingPoint): Long

  /**
   * The retained event with this sequence number.
   *
   * @return None after the end, and for an event that retention or compaction has removed
   */
  def read(sequenceNumber: Long): Option[LogEntry]

  /**
   * The retained events from `sequenceNumber` on, in order, without those that compaction has removed. Cheaper than
   * [[read]], because a log on disk fetches many events at a time.
   *
   * @param maxBytes payload limit; a larger first event is returned all the same
   * @return empty after the end, and when retention has removed `sequenceNumber`
   */
  def readBatch(sequenceNumber: Long, maxEvents: Int, maxBytes: Int): IndexedSeq[LogEntry]

  /** Payload bytes of the retained events. */
  def retainedBytes: Long

  /** Number of the retained events. */
  def retainedEvents: Long = {
    val now = bounds
    now.lastSequenceNumber - now.beginSequenceNumber + 1
  }

  /** Sequence number from which on the events have at most `bytes` in total; None when nothing must be removed. */
  def firstWithin(bytes: Long): Option[Long] = {
    val retained = retainedBytes
    if (retained <= bytes) None
    else
      read(bounds.beginSequenceNumber).map { first =>
        sequenceNumberAt(StartingPoint.Offset(first.position.offset + retained - bytes, inclusive = true))
      }
  }

  /** Removes the events before `sequenceNumber`, as retention does. */
  def trimBefore(sequenceNumber: Long): Unit

  /** The epoch of an event of a geo-replicated hub, also of one that is not stored yet; None for other hubs. */
  def epochAt(sequenceNumber: Long): Option[Int] = None

  /**
   * Continues as the promoted secondary of a geo-replicated hub does: without the newest events, whose numbers the next
   * events get again, in a new epoch.
   *
   * @param unreplicated how many of the newest events the secondary does not have
   */
  def promote(unreplicated: Long): Unit =
    throw new UnsupportedOperationException(s"$unreplicated: this log is not geo-replicated")

  /** Removes single events, as compaction does. The bounds stay as they are. Not supported by every log. */
  def remove(sequenceNumbers: Iterable[Long]): Unit =
    throw new UnsupportedOperationException(s"${getClass.getName} cannot be compacted: ${sequenceNumbers.size} events")

  /** Why the log takes no more events, for people; None if it does. */
  def problem: Option[String] = None

  /** Runs `listener` after each append, until closed. It runs on the appending thread, so it must only signal. */
  def onAppend(listener: Runnable): AutoCloseable
}

/** The log is closed, because the local hub ended or the event hub was deleted. */
final class LogClosedException
    extends RuntimeException("The partition is closed: its event hub was deleted or the local hub has ended.")

/**
 * One stored event.
 *
 * @param array  contains the encoded event and maybe others; shared, so do not change it
 * @param start  first byte of the event
 * @param length bytes of the event
 */
final case class LogEntry(position: LogPosition, array: Array[Byte], start: Int, length: Int) {

  /** A copy of the encoded event. */
  def payload: Array[Byte] = java.util.Arrays.copyOfRange(array, start, start + length)
}

object LogEntry {
  def apply(position: LogPosition, payload: Array[Byte]): LogEntry = LogEntry(position, payload, 0, payload.length)
}

/** Encodes the event at `index` (0 until count) of an append, once its position is known. Called in order. */
trait EventEncoder {
  def encode(index: Int, position: LogPosition): Array[Byte]
}

/**
 * The position of an event in its partition.
 *
 * @param sequenceNumber contiguous from 0; compaction leaves gaps
 * @param offset         byte position in the partition's stream; increasing, and a reader may ask for a number between
 *                       two
 * @param enqueuedMillis epoch milliseconds, never decreasing
 */
final case class LogPosition(sequenceNumber: Long, offset: Long, enqueuedMillis: Long)

/** Retained range of a log. An empty log has `last = begin - 1`; a new log has begin 0 and last -1. */
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
