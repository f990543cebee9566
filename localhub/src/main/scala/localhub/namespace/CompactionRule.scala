package localhub.namespace

import scala.collection.mutable

import localhub.Compaction
import localhub.log.{LogEntry, PartitionLog, StartingPoint}

/** What compaction has to know of an event. Events without a key are kept. */
private[localhub] final case class CompactionKey(key: Option[String], isTombstone: Boolean)

/**
 * Removes the events of a partition whose key has a later event, and tombstones after their time. The active tail is
 * not looked at: the last event of a key before it is kept, whatever follows in it.
 */
private[localhub] object CompactionRule {

  private val BatchEvents = 1000
  private val BatchBytes = 4 << 20

  /** @return whether more can be removed after some time, without new events */
  def apply(log: PartitionLog, compaction: Compaction, nowMillis: Long, keyOf: LogEntry => CompactionKey): Boolean = {
    val end = log.bounds.lastSequenceNumber + 1
    val tail =
      log.sequenceNumberAt(StartingPoint.EnqueuedTime(nowMillis - compaction.minLag.toMillis, inclusive = false))
    val tombstones = compact(log, tail, nowMillis - compaction.tombstoneRetention.toMillis, keyOf)
    tombstones > 0 || tail < end
  }

  /**
   * @param tail            the first event of the active tail
   * @param tombstoneMillis the time up to which a tombstone must have been enqueued to be removed
   * @return number of tombstones that remain before the tail
   */
  def compact(log: PartitionLog, tail: Long, tombstoneMillis: Long, keyOf: LogEntry => CompactionKey): Int = {
    val latest = mutable.HashMap.empty[String, Latest]
    val removed = mutable.ArrayBuffer.empty[Long]
    entries(log, tail).foreach { entry =>
      val found = keyOf(entry)
      found.key.foreach { key =>
        latest.put(key, Latest(entry.position.sequenceNumber, found.isTombstone, entry.position.enqueuedMillis))
          .foreach(earlier => removed += earlier.sequenceNumber)
      }
    }
    val (old, young) = latest.valuesIterator.filter(_.isTombstone).toSeq.partition(_.enqueuedMillis <= tombstoneMillis)
    log.remove(removed ++ old.map(_.sequenceNumber))
    young.length
  }

  private def entries(log: PartitionLog, until: Long): Iterator[LogEntry] =
    Iterator.unfold(log.bounds.beginSequenceNumber) { from =>
      val batch = if (from < until) log.readBatch(from, BatchEvents, BatchBytes) else IndexedSeq.empty
      batch.lastOption.map(last => (batch, last.position.sequenceNumber + 1))
    }.flatten.takeWhile(_.position.sequenceNumber < until)

  private final case class Latest(sequenceNumber: Long, isTombstone: Boolean, enqueuedMillis: Long)
}
