package org.apache.spark.eventhubs.receive

import scala.collection.mutable

import org.apache.spark.eventhubs.connection.ClientConnectionPool
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.retry.CloseEach
import org.apache.spark.util.Clock

/**
 * The open receivers of one JVM that no task uses, by partition and next sequence number. The next batch finds the link
 * that continues where it starts. Two tasks on one partition never share a link, and a reader that starts elsewhere
 * opens its own.
 *
 * @param announcer tells the driver of events that come to receivers which no task uses
 */
private[spark] final class ReceiverCache(
    pool: ClientConnectionPool,
    clock: Clock,
    announcer: Announcer = Announcer.Silent
) extends AutoCloseable {

  import ReceiverCache._

  private val idle = mutable.ArrayBuffer.empty[Idle]

  /** The open receivers of running tasks. */
  private val inUse = mutable.HashSet.empty[CachedEventHubsReceiver]
  private val creditPolicies = mutable.Map.empty[(String, String, Long, Int), LinkCreditPolicy]
  private var closed = false

  /**
   * Takes the receiver that continues at `fromSeqNo`, or opens one.
   *
   * @param generation the hub that the range was planned for; receivers of other generations are closed
   * @param fresh      closes a cached receiver instead of using it, as for a retried task
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
    val cached = take(_.continuesAt(key, fromSeqNo))
    val usable = cached.filter(_.isContinuable && !fresh)
    if (usable.isEmpty) cached.foreach(_.close())
    val receiver = usable.getOrElse {
      // Idle links at other positions count against the service's limit of five for the partition.
      closeIdle(key, keep = IdlePerPartition - 1)
      open(key, settings, fromSeqNo)
    }
    synchronized(if (!receiver.hasClosed) inUse += receiver)
    receiver
  }

  /**
   * Requests the first events of a range that a later task will probably read: on the link that continues there, or on
   * a new one. Opens none while a task reads the partition, because it is probably that task, which began early.
   *
   * @param count   events that the task will read
   * @param mayOpen whether to open a link when none continues there
   * @return the receiver; None without a request
   */
  def requestAhead(
      settings: ReadSettings,
      partitionId: Int,
      generation: HubGeneration,
      fromSeqNo: Long,
      count: Long,
      mayOpen: Boolean
  ): Option[CachedEventHubsReceiver] = {
    val key = ReceiverKey.of(settings, partitionId, generation)
    val ended = takeAll(entry => entry.continuesAt(key, fromSeqNo) && !entry.receiver.isContinuable)
    CloseEach(ended)
    requestOnIdle(key, fromSeqNo, count).orElse(Option.when(mayOpen && isUnread(key)) {
      // As in `acquire`: those that no task took count too.
      closeIdle(key, keep = IdlePerPartition - 1)
      val receiver = open(key, settings, fromSeqNo)
      receiver.requestAhead(count)
      val isClosed = synchronized {
        if (!closed) idle += Idle(receiver, clock.getTimeMillis(), math.min(receiver.idleMillis, AheadMillis))
        closed
      }
      if (isClosed) receiver.close()
      receiver
    })
  }

  private def isUnread(key: ReceiverKey): Boolean =
    synchronized(!closed && !inUse.exists(_.key == key))

  /** Not after the lock is free, because the task may take the receiver then. */
  private def requestOnIdle(key: ReceiverKey, fromSeqNo: Long, count: Long): Option[CachedEventHubsReceiver] =
    synchronized {
      val continuing = idle.find(_.continuesAt(key, fromSeqNo)).map(_.receiver)
      continuing.foreach(_.requestAhead(count))
      continuing
    }

  /** Closes the idle receivers with an owner level of a query that has stopped: they would shut other readers out. */
  def queryStopped(settings: ReadSettings): Unit =
    if (settings.ownerLevel.nonEmpty) closeAll { entry =>
      val key = entry.receiver.key
      // Not the class that gives the tokens: the thread that stops the query may load it with another class loader.
      key.ownerLevel == settings.ownerLevel && key.consumerGroup == settings.consumerGroup &&
      key.connection == settings.ofHub(key.hub.name).connection
    }

  /** Closes this receiver, unless a task uses it. */
  def closeIdle(receiver: CachedEventHubsReceiver): Unit = closeAll(_.receiver eq receiver)

  /**
   * Keeps a receiver for the next batch. Closes it if it cannot continue, and closes an older one at the same position.
   */
  def release(receiver: CachedEventHubsReceiver): Unit = {
    val link = receiver.idleLink
    val surplus = synchronized {
      inUse -= receiver
      if (closed || !receiver.isContinuable) {
        link.foreach(_.isOver = true)
        Seq(receiver)
      } else {
        val same = idle.filter(i => i.receiver.key == receiver.key && i.receiver.nextSeqNo == receiver.nextSeqNo).toSeq
        idle --= same
        idle += Idle(receiver, clock.getTimeMillis(), receiver.idleMillis, link)
        same.map(_.taken())
      }
    }
    CloseEach(surplus)
    link.foreach(announcer.watch)
    closeIdle(receiver.key, IdlePerPartition)
  }

  /** Closes the receivers that have been idle for longer than their settings allow. */
  def evictIdle(): Unit = {
    val now = clock.getTimeMillis()
    closeAll(entry => now - entry.sinceMillis >= entry.keepMillis)
  }

  /** Number of receivers that tasks use. */
  private[receive] def used: Int = synchronized(inUse.size)

  /** Number of idle receivers. */
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
        creditPolicy(settings, maxConnections),
        timeouts(settings),
        clock,
        () => closeIdle(key, keep = 0),
        receiver => synchronized { val _ = inUse.remove(receiver) }
      )
    catch {
      case failed: Throwable =>
        lease.close()
        throw failed
    }
  }

  /** Up to `maxConnections` waiting links hold their whole buffers. More links hold no more in all. */
  private def creditPolicy(settings: ReadSettings, maxConnections: Int): LinkCreditPolicy =
    settings.prefetchCount match {
      case Some(count) => LinkCreditPolicy.fixed(count, settings.receiverBufferBytes)
      case None =>
        val hub = settings.connection.hub
        synchronized(
          creditPolicies.getOrElseUpdate(
            (hub.namespace, hub.name, settings.receiverBufferBytes, maxConnections),
            new LinkCreditPolicy(settings.receiverBufferBytes, maxConnections)
          )
        )
    }

  private def timeouts(settings: ReadSettings): ReceiverTimeouts = {
    val silence = Seq(settings.receiverTimeout, MaxSilence).min
    ReceiverTimeouts(silence, settings.connection.operationTimeout, settings.receiverIdleTimeout)
  }

  private def take(which: Idle => Boolean): Option[CachedEventHubsReceiver] = synchronized {
    val at = idle.indexWhere(which)
    if (at < 0) None else Some(idle.remove(at).taken())
  }

  private def closeIdle(key: ReceiverKey, keep: Int): Unit = {
    val surplus = synchronized {
      val same = idle.filter(_.receiver.key == key).sortBy(-_.sinceMillis).drop(keep).toSeq
      idle --= same
      same
    }
    CloseEach(surplus.map(_.taken()))
  }

  private def closeAll(which: Idle => Boolean): Unit = CloseEach(takeAll(which))

  private def takeAll(which: Idle => Boolean): Seq[CachedEventHubsReceiver] = synchronized {
    val chosen = idle.filter(which).toSeq
    idle --= chosen
    chosen.map(_.taken())
  }
}

private object ReceiverCache {

  /** Two queries in one consumer group may each keep a link. More would come near the service's limit of five. */
  private val IdlePerPartition = 2

  /** Upper bound on `receiverTimeout`: after this time without an event, the reader checks what is retained. */
  private val MaxSilence = java.time.Duration.ofSeconds(3)

  /** How long a link that was opened ahead waits for its task, which may run elsewhere. */
  private val AheadMillis = 60000L

  private final case class Idle(
      receiver: CachedEventHubsReceiver,
      sinceMillis: Long,
      keepMillis: Long,
      link: Option[IdleLink] = None
  ) {

    /** The receiver is no longer idle. */
    def taken(): CachedEventHubsReceiver = {
      link.foreach(_.isOver = true)
      receiver
    }

    def continuesAt(key: ReceiverKey, fromSeqNo: Long): Boolean =
      receiver.key == key && receiver.nextSeqNo == fromSeqNo
  }
}
