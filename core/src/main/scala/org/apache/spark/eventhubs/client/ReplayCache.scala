package org.apache.spark.eventhubs.client

import java.util.{LinkedHashMap => JavaLinkedHashMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.util.Clock

/** Which events are meant. */
final case class ReplayKey(reader: ReceiverKey, fromSeqNo: Long, untilSeqNo: Long)

/**
 * Ranges that were read completely, in memory, for those who read them once more: a second action or a second sink on one
 * batch. Bounded in bytes; the one that was not used for longest goes first.
 */
final class ReplayCache(clock: Clock) {

  private final class Kept(val replay: Replay, var usedMillis: Long)

  // In the order of use.
  private val kept = new JavaLinkedHashMap[ReplayKey, Kept](16, 0.75f, true)
  private var bytes = 0L

  def get(key: ReplayKey): Option[Replay] = synchronized {
    Option(kept.get(key)).map { found =>
      found.usedMillis = clock.getTimeMillis()
      found.replay
    }
  }

  /** @param mostBytes that all ranges together may have from now on; a range that is larger is not kept */
  def put(key: ReplayKey, replay: Replay, mostBytes: Long): Unit = synchronized {
    drop(Seq(key))
    if (replay.heapBytes <= mostBytes) {
      kept.put(key, new Kept(replay, clock.getTimeMillis()))
      bytes += replay.heapBytes
      while (bytes > mostBytes) drop(Seq(kept.keySet.iterator.next()))
    }
  }

  /** Drops what nobody has used for `idleMillis`. */
  def evictIdle(idleMillis: Long): Unit = synchronized {
    val deadline = clock.getTimeMillis() - idleMillis
    drop(kept.asScala.collect { case (key, entry) if entry.usedMillis <= deadline => key }.toSeq)
  }

  def clear(): Unit = synchronized(drop(kept.keySet.asScala.toSeq))

  /** What is kept, as estimated. */
  def heapBytes: Long = synchronized(bytes)

  private def drop(keys: Seq[ReplayKey]): Unit =
    for (key <- keys; entry <- Option(kept.remove(key))) bytes -= entry.replay.heapBytes
}
