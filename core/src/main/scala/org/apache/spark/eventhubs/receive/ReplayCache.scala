package org.apache.spark.eventhubs.receive

import java.util.{LinkedHashMap => JavaLinkedHashMap}

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.util.Clock

/** Identifies a range. */
private[eventhubs] final case class ReplayKey(reader: ReceiverKey, fromSeqNo: Long, untilSeqNo: Long)

/**
 * Completely read ranges in memory, for a second action or a second sink on one batch. Bounded in bytes, including the
 * ranges that tasks are recording. The least recently used range is evicted first.
 */
private[spark] final class ReplayCache(clock: Clock) {

  import ReplayCache._

  // Least recently used first.
  private val kept = new JavaLinkedHashMap[ReplayKey, Kept](16, 0.75f, true)
  private var keptBytes = 0L
  private var reservedBytes = 0L

  /** The encoded events of a range, in order. */
  def get(key: ReplayKey): Option[IndexedSeq[Array[Byte]]] = synchronized {
    Option(kept.get(key)).map { found =>
      found.usedMillis = clock.getTimeMillis()
      found.events
    }
  }

  /**
   * Records a range that is not cached, for the task that reads it. The task closes the recorder.
   *
   * @param maxBytes bound on all cached and recorded ranges; a range for which there is no room is not cached
   */
  def recorder(key: ReplayKey, maxBytes: Long): Recorder = new Recorder(key, maxBytes, clock.getTimeMillis())

  /** Evicts the ranges that were not used for `idleMillis`. */
  def evictIdle(idleMillis: Long): Unit = synchronized {
    val deadline = clock.getTimeMillis() - idleMillis
    drop(kept.asScala.collect { case (key, entry) if entry.usedMillis <= deadline => key }.toSeq)
  }

  def clear(): Unit = synchronized(drop(kept.keySet.asScala.toSeq))

  /** Estimated size of the cached and recorded ranges. */
  private[receive] def heapBytes: Long = synchronized(keptBytes + reservedBytes)

  /**
   * Reserves bytes for a recording task. False when there is no room.
   *
   * @param sinceMillis ranges used later are not evicted, because they may belong to the task's own batch
   */
  private def reserve(more: Long, maxBytes: Long, sinceMillis: Long): Boolean = synchronized {
    val excess = keptBytes + reservedBytes + more - maxBytes
    val fits = excess <= 0 || makeRoom(excess, sinceMillis)
    if (fits) reservedBytes += more
    fits
  }

  private def release(bytes: Long): Unit = synchronized(reservedBytes -= bytes)

  /** @param reserved bytes that the recorder has reserved for it */
  private def put(key: ReplayKey, range: Kept, reserved: Long): Unit = synchronized {
    release(reserved)
    drop(Seq(key))
    kept.put(key, range)
    keptBytes += range.bytes
  }

  /** Evicts the oldest ranges if that frees enough. */
  private def makeRoom(bytes: Long, sinceMillis: Long): Boolean = {
    val oldest = kept.asScala.iterator.takeWhile(_._2.usedMillis <= sinceMillis).toList
    val freed = oldest.scanLeft(0L)((sum, entry) => sum + entry._2.bytes)
    val needed = freed.indexWhere(_ >= bytes)
    drop(oldest.take(needed).map(_._1))
    needed >= 0
  }

  private def drop(keys: Seq[ReplayKey]): Unit =
    for (key <- keys; entry <- Option(kept.remove(key))) keptBytes -= entry.bytes

  /** Collects the events of a range while they are read for the first time. Gives up when the cache has no room. */
  final class Recorder private[ReplayCache] (key: ReplayKey, maxBytes: Long, startedMillis: Long)
      extends AutoCloseable {

    private var events = ArrayBuffer.empty[Array[Byte]]
    private var bytes = 0L
    private var reserved = 0L

    /** Volatile, because some of Spark's tasks read in another thread than the one that ends them. */
    @volatile private var isOver = false

    def add(event: ReceivedEvent): Unit = if (!isOver) {
      bytes += event.message.length + OverheadBytes
      if (bytes <= reserved || hasRoomFor(bytes - reserved)) events += event.message else close()
    }

    /** Caches the range if all of its events were recorded. */
    def keep(count: Long): Unit = synchronized {
      if (!isOver && events.length == count) {
        put(key, new Kept(events.toIndexedSeq, bytes, clock.getTimeMillis()), reserved)
        reserved = 0
      }
      close()
    }

    override def close(): Unit = synchronized {
      isOver = true
      events = ArrayBuffer.empty
      release(reserved)
      reserved = 0
    }

    /** Reserves in pieces, because all tasks of the executor share the cache's lock. */
    private def hasRoomFor(missing: Long): Boolean = tryReserve(math.max(missing, PieceBytes)) || tryReserve(missing)

    private def tryReserve(more: Long): Boolean = synchronized {
      val isThere = !isOver && reserve(more, maxBytes, startedMillis)
      if (isThere) reserved += more
      isThere
    }
  }
}

private[receive] object ReplayCache {

  /** The header and padding of a message's array, and the reference to it. */
  val OverheadBytes = 24

  private val PieceBytes = 64L << 10

  private final class Kept(val events: IndexedSeq[Array[Byte]], val bytes: Long, var usedMillis: Long)
}
