package org.apache.spark.eventhubs.receive

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.eventhubs.amqp.ReceivedEvent

/**
 * Collects the events of a range while they are read for the first time. Gives up when the cache has no room. The task
 * closes it in any case.
 */
private[eventhubs] final class ReplayRecorder(cache: ReplayCache, key: ReplayKey, maxBytes: Long, startedMillis: Long)
    extends AutoCloseable {

  import ReplayRecorder._

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
      cache.put(key, new CachedRange(events.toIndexedSeq, bytes), reserved)
      reserved = 0
    }
    close()
  }

  override def close(): Unit = synchronized {
    isOver = true
    events = ArrayBuffer.empty
    cache.release(reserved)
    reserved = 0
  }

  /** Reserves in pieces, because all tasks of the executor share the cache's lock. */
  private def hasRoomFor(missing: Long): Boolean = reserve(math.max(missing, PieceBytes)) || reserve(missing)

  private def reserve(more: Long): Boolean = synchronized {
    val isThere = !isOver && cache.reserve(more, maxBytes, startedMillis)
    if (isThere) reserved += more
    isThere
  }
}

private[eventhubs] object ReplayRecorder {

  /** The header and padding of a message's array, and the reference to it. */
  val OverheadBytes = 24

  private val PieceBytes = 64L << 10
}
