package org.apache.spark.eventhubs.receive

import java.util.{LinkedHashMap => JavaLinkedHashMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.util.Clock

/** Which events are meant. */
final case class ReplayKey(reader: ReceiverKey, fromSeqNo: Long, untilSeqNo: Long)

/**
 * Ranges that were read completely, in memory, for those who read them once more: a second action or a second sink on one
 * batch. Bounded in bytes, with those that tasks are recording; the one that was not used for longest goes first.
 */
final class ReplayCache(clock: Clock) {

  private final class Kept(val replay: Replay, var usedMillis: Long)

  // In the order of use.
  private val kept = new JavaLinkedHashMap[ReplayKey, Kept](16, 0.75f, true)
  private var keptBytes = 0L
  private var reservedBytes = 0L

  def get(key: ReplayKey): Option[Replay] = synchronized {
    Option(kept.get(key)).map { found =>
      found.usedMillis = clock.getTimeMillis()
      found.replay
    }
  }

  /**
   * For a task that reads a range which is not here.
   *
   * @param mostBytes that all ranges together may have, those being recorded too; one for which there is no room is not kept
   */
  def recorder(key: ReplayKey, mostBytes: Long): ReplayRecorder =
    new ReplayRecorder(this, key, mostBytes, clock.getTimeMillis())

  /** Drops what nobody has used for `idleMillis`. */
  def evictIdle(idleMillis: Long): Unit = synchronized {
    val deadline = clock.getTimeMillis() - idleMillis
    drop(kept.asScala.collect { case (key, entry) if entry.usedMillis <= deadline => key }.toSeq)
  }

  def clear(): Unit = synchronized(drop(kept.keySet.asScala.toSeq))

  /** What is kept or being recorded, as estimated. */
  def heapBytes: Long = synchronized(keptBytes + reservedBytes)

  /**
   * Room for a task to record more. False when there is none.
   *
   * @param sinceMillis what was used later stays: it is of the batch that the task reads a part of, which may yet turn out
   *                    to be too large
   */
  private[eventhubs] def reserve(more: Long, mostBytes: Long, sinceMillis: Long): Boolean = synchronized {
    val excess = keptBytes + reservedBytes + more - mostBytes
    val fits = excess <= 0 || makeRoom(excess, sinceMillis)
    if (fits) reservedBytes += more
    fits
  }

  private[eventhubs] def giveBack(bytes: Long): Unit = synchronized(reservedBytes -= bytes)

  /** @param reserved for it */
  private[eventhubs] def put(key: ReplayKey, replay: Replay, reserved: Long): Unit = synchronized {
    giveBack(reserved)
    drop(Seq(key))
    kept.put(key, new Kept(replay, clock.getTimeMillis()))
    keptBytes += replay.heapBytes
  }

  /** Drops the oldest, when that is enough. */
  private def makeRoom(bytes: Long, sinceMillis: Long): Boolean = {
    val oldest = kept.asScala.iterator.takeWhile(_._2.usedMillis <= sinceMillis).toList
    val freed = oldest.scanLeft(0L)((sum, entry) => sum + entry._2.replay.heapBytes)
    val needed = freed.indexWhere(_ >= bytes)
    drop(oldest.take(needed).map(_._1))
    needed >= 0
  }

  private def drop(keys: Seq[ReplayKey]): Unit =
    for (key <- keys; entry <- Option(kept.remove(key))) keptBytes -= entry.replay.heapBytes
}
