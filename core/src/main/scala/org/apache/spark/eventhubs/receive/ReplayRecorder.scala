package org.apache.spark.eventhubs.receive

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.eventhubs.amqp.ReceivedEvent

/**
 * Collects the events of a range for a [[Replay]] while they are read for the first time, and gives up when the cache has
 * no room for more. Used by one task, which closes it at its end, however that comes.
 */
final class ReplayRecorder private[eventhubs] (cache: ReplayCache, key: ReplayKey, mostBytes: Long, startedMillis: Long)
    extends AutoCloseable {

  import ReplayRecorder._

  private var events = ArrayBuffer.empty[Array[Byte]]
  private var bytes = 0L
  private var reserved = 0L

  /** Some of Spark's tasks read on another thread than the one that ends them. */
  @volatile private var isOver = false

  def add(event: ReceivedEvent): Unit = if (!isOver) {
    bytes += event.message.length + OverheadBytes
    if (bytes <= reserved || hasRoomFor(bytes - reserved)) events += event.message else close()
  }

  /** Puts the range into the cache, where these were all of its events. */
  def keep(count: Long): Unit = synchronized {
    if (!isOver && events.length == count) {
      cache.put(key, new Replay(events.toIndexedSeq, bytes), reserved)
      reserved = 0
    }
    close()
  }

  override def close(): Unit = synchronized {
    isOver = true
    events = ArrayBuffer.empty
    cache.giveBack(reserved)
    reserved = 0
  }

  /** In pieces, because all tasks of the executor ask the same cache. */
  private def hasRoomFor(missing: Long): Boolean = reserve(math.max(missing, PieceBytes)) || reserve(missing)

  private def reserve(more: Long): Boolean = synchronized {
    val isThere = !isOver && cache.reserve(more, mostBytes, startedMillis)
    if (isThere) reserved += more
    isThere
  }
}

object ReplayRecorder {

  /** The header and padding of a message's array, and the reference to it. */
  val OverheadBytes = 24

  private val PieceBytes = 64L << 10
}
