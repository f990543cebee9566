package localhub.namespace

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import localhub.log.{LogEntry, PartitionLog}

/**
 * Compacts the hubs that ask for it. A partition is read as a whole, so it waits until a tenth of its events are new,
 * or a tombstone may be due. Used by one thread.
 */
private[localhub] final class CompactionSweep(nowMillis: () => Long, keyOf: LogEntry => CompactionKey) {
  import CompactionSweep.Never

  private val log = LoggerFactory.getLogger(getClass)
  private val compacted = new java.util.WeakHashMap[PartitionLog, CompactionSweep.Done]

  def apply(hub: EventHub): Unit = hub.config.compaction.foreach { compaction =>
    hub.partitions.zipWithIndex.foreach { case (partition, id) =>
      val (now, end) = (nowMillis(), partition.bounds.lastSequenceNumber)
      val due = Option(compacted.get(partition)).forall(_.isDue(now, end, partition.retainedEvents))
      if (due)
        try {
          val hasMore = CompactionRule(partition, compaction, now, keyOf)
          compacted.put(
            partition,
            CompactionSweep.Done(end, if (hasMore) now + compaction.interval.toMillis else Never)
          )
        } catch {
          case NonFatal(failure) => log.error(s"${hub.name}/$id could not be compacted; trying again", failure)
        }
    }
  }
}

private object CompactionSweep {
  private val Never = Long.MaxValue

  /**
   * @param end        the last sequence number then
   * @param nextMillis when time alone can make more events removable
   */
  final case class Done(end: Long, nextMillis: Long) {
    def isDue(now: Long, lastNow: Long, retainedEvents: Long): Boolean =
      (lastNow - end) * 10 > retainedEvents || now >= nextMillis
  }
}
