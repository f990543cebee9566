package org.apache.spark.eventhubs.receive

import java.util.{LinkedHashMap => JavaLinkedHashMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.util.Clock

/** Identifies a range. */
private[eventhubs] final case class ReplayKey(reader: ReceiverKey, fromSeqNo: Long, untilSeqNo: Long)

/**
 * Completely read ranges in memory, for a second action or a second sink on one batch. Bounded in bytes, including the
 * ranges that tasks are recording. The least recently used range is evicted first.
 */
private[spark] final class ReplayCache(clock: Clock) {

  private final class Kept(val range: CachedRange, var usedMillis: Long)

  // Least recently used first.
  private val kept = new JavaLinkedHashMap[ReplayKey, Kept](16, 0.75f, true)
  private var keptBytes = 0L
  private var reservedBytes = 0L

  def get(key: ReplayKey): Option[CachedRange] = synchronized {
    Option(kept.get(key)).map { found =>
      found.usedMillis = clock.getTimeMillis()
      found.range
    }
  }

  /**
   * Records a range that is not cached, for the task that reads it.
   *
   * @param maxBytes bound on all cached and recorded ranges; a range for which there is no room is not cached
   */
  def recorder(key: ReplayKey, maxBytes: Long): ReplayRecorder =
    new ReplayRecorder(this, key, maxBytes, clock.getTimeMillis())

  /** Evicts the ranges that were not used for `idleMillis`. */
  def evictIdle(idleMillis: Long): Unit = synchronized {
    val deadline = clock.getTimeMillis() - idleMillis
    drop(kept.asScala.collect { case (key, entry) if entry.usedMillis <= deadline => key }.toSeq)
  }

  def clear(): Unit = synchronized(drop(kept.keySet.asScala.toSeq))

  /** Estimated size of the cached and recorded ranges. */
  def heapBytes: Long = synchronized(keptBytes + reservedBytes)

  /**
   * Reserves bytes for a recording task. False when there is no room.
   *
   * @param sinceMillis ranges used later are not evicted, because they may belong to the task's own batch
   */
  private[eventhubs] def reserve(more: Long, maxBytes: Long, sinceMillis: Long): Boolean = synchronized {
    val excess = keptBytes + reservedBytes + more - maxBytes
    val fits = excess <= 0 || makeRoom(excess, sinceMillis)
    if (fits) reservedBytes += more
    fits
  }

  private[eventhubs] def release(bytes: Long): Unit = synchronized(reservedBytes -= bytes)

  /** @param reserved bytes that the recorder has reserved for it */
  private[eventhubs] def put(key: ReplayKey, range: CachedRange, reserved: Long): Unit = synchronized {
    release(reserved)
    drop(Seq(key))
    kept.put(key, new Kept(range, clock.getTimeMillis()))
    keptBytes += range.heapBytes
  }

  /** Evicts the oldest ranges if that frees enough. */
  private def makeRoom(bytes: Long, sinceMillis: Long): Boolean = {
    val oldest = kept.asScala.iterator.takeWhile(_._2.usedMillis <= sinceMillis).toList
    val freed = oldest.scanLeft(0L)((sum, entry) => sum + entry._2.range.heapBytes)
    val needed = freed.indexWhere(_ >= bytes)
    drop(oldest.take(needed).map(_._1))
    needed >= 0
  }

  private def drop(keys: Seq[ReplayKey]): Unit =
    for (key <- keys; entry <- Option(kept.remove(key))) keptBytes -= entry.range.heapBytes
}
