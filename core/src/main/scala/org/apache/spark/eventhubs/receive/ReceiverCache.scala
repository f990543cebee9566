package org.apache.spark.eventhubs.receive

import scala.collection.mutable

import org.apache.spark.eventhubs.connection.ClientConnectionPool
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.util.Clock

/**
 * The open receivers of one JVM that no task uses at the moment, found by partition and next sequence number: the next
 * batch finds the link that stands where it starts, two tasks on one partition never share one, and a reader that
 * starts elsewhere opens its own.
 */
final class ReceiverCache(pool: ClientConnectionPool, clock: Clock) extends AutoCloseable {

  import ReceiverCache._

  private val idle = mutable.ArrayBuffer.empty[Idle]
  private val sizings = mutable.Map.empty[(String, String, Long, Int), LinkCreditPolicy]
  private var closed = false

  /**
   * Takes the receiver that stands at `fromSeqNo`, or opens one.
   *
   * @param generation the hub that the range was planned for; what is left of one that was there before it is closed
   * @param fresh close what is cached instead of using it: for a retried task, whose first attempt may have failed by it
   */
  def acquire(
      settings: ReadSettings,
      partitionId: Int,
      generation: HubGeneration,
      fromSeqNo: Long,
      fresh: Boolean
  ): CachedEventHubsReceiver = {
    val key = ReceiverKey.of(settings, partitionId, generation)
    closeAll(entry => entry.receiver.key != key && entry.receiver.key.copy(generation = generation) == key)
    val cached = take(found => found.key == key && found.nextSeqNo == fromSeqNo)
    val usable = cached.filter(_.isContinuable && !fresh)
    if (usable.isEmpty) cached.foreach(_.close())
    usable.getOrElse {
      // Links left behind elsewhere in the partition count against the service's limit of five.
      closeIdle(key, keep = IdlePerPartition - 1)
      open(key, settings, fromSeqNo)
    }
  }

  /** Puts a receiver back for the next batch. One that cannot go on, and an older one that stands in the same place, is closed. */
  def release(receiver: CachedEventHubsReceiver): Unit = {
    val rivals = synchronized {
      if (closed || !receiver.isContinuable) Seq(receiver)
      else {
        val same = idle.filter(i => i.receiver.key == receiver.key && i.receiver.nextSeqNo == receiver.nextSeqNo).toSeq
        idle --= same
        idle += Idle(receiver, clock.getTimeMillis())
        same.map(_.receiver)
      }
    }
    rivals.foreach(_.close())
    closeIdle(receiver.key, IdlePerPartition)
  }

  /** Closes the receivers that have waited for longer than their settings allow. */
  def evictIdle(): Unit = {
    val now = clock.getTimeMillis()
    closeAll(entry => now - entry.sinceMillis >= entry.receiver.idleMillis)
  }

  /** Receivers that wait for their next batch. */
  def size: Int = synchronized(idle.length)

  override def close(): Unit = {
    synchronized { closed = true }
    closeAll(_ => true)
  }

  private def open(key: ReceiverKey, settings: ReadSettings, fromSeqNo: Long): CachedEventHubsReceiver = {
    val maxConnections = settings.maxConnections.getOrElse(2 * Runtime.getRuntime.availableProcessors)
    val lease = pool.borrow(settings.connection, maxConnections)
    try
      new CachedEventHubsReceiver(
        key,
        fromSeqNo,
        lease,
        sizing(settings, maxConnections),
        patience(settings),
        clock,
        () => closeIdle(key, keep = 0)
      )
    catch {
      case failed: Throwable =>
        lease.close()
        throw failed
    }
  }

  /** Links that have a connection to themselves keep all that they may while they wait; further ones share that. */
  private def sizing(settings: ReadSettings, maxConnections: Int): LinkCreditPolicy = settings.prefetchCount match {
    case Some(count) => LinkCreditPolicy.fixed(count)
    case None =>
      val hub = settings.connection.hub
      synchronized(
        sizings.getOrElseUpdate(
          (hub.namespace, hub.name, settings.receiverBufferBytes, maxConnections),
          new LinkCreditPolicy(settings.receiverBufferBytes, maxConnections)
        )
      )
  }

  private def patience(settings: ReadSettings): ReceiverTimeouts = {
    val silence = Seq(settings.receiverTimeout, LongestSilence).min
    ReceiverTimeouts(silence, settings.connection.operationTimeout, settings.receiverIdleTimeout)
  }

  private def take(matches: CachedEventHubsReceiver => Boolean): Option[CachedEventHubsReceiver] = synchronized {
    val at = idle.indexWhere(entry => matches(entry.receiver))
    if (at < 0) None else Some(idle.remove(at).receiver)
  }

  private def closeIdle(key: ReceiverKey, keep: Int): Unit = {
    val surplus = synchronized {
      val same = idle.filter(_.receiver.key == key).sortBy(-_.sinceMillis).drop(keep).toSeq
      idle --= same
      same
    }
    surplus.foreach(_.receiver.close())
  }

  private def closeAll(which: Idle => Boolean): Unit = {
    val closing = synchronized {
      val chosen = idle.filter(which).toSeq
      idle --= chosen
      chosen
    }
    closing.foreach(_.receiver.close())
  }
}

object ReceiverCache {

  /** Two queries of one consumer group may each keep a link; a third one's would come near the service's limit. */
  private val IdlePerPartition = 2

  /** However patient the user is: by then the reader asks whether what it waits for still exists. */
  private val LongestSilence = java.time.Duration.ofSeconds(3)

  private final case class Idle(receiver: CachedEventHubsReceiver, sinceMillis: Long)
}
