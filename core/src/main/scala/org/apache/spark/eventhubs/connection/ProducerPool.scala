package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.util.Clock

/**
 * The producers of this JVM: one (so one AMQP connection) for all tasks with equal settings, kept between batches and
 * closed when nobody used it for `idleTimeout`. Safe for use by many threads.
 *
 * @param open  makes a producer; must not block
 * @param clock decides what is idle, and how old the known partition ids may be
 */
private[spark] final class ProducerPool(
    open: ConnectionSettings => EventHubsProducer,
    idleTimeout: Duration,
    clock: Clock
) extends AutoCloseable {

  private val entries = mutable.HashMap.empty[ConnectionSettings, ProducerPool.Entry]
  private var closed = false

  /** Lends the producer for these settings until the lease is closed. Also closes producers that became idle. */
  def lend(settings: ConnectionSettings): ProducerLease = {
    val entry = synchronized {
      if (closed) throw new IllegalStateException("the producers of this JVM are closed")
      val entry = entries.getOrElseUpdate(settings, new ProducerPool.Entry(open(settings), clock))
      entry.users += 1
      entry
    }
    evictIdle()
    new ProducerLease(this, settings, entry)
  }

  /** Closes what has been idle for too long. The owner calls it now and then, since `lend` may not come again. */
  def evictIdle(): Unit = {
    val idle = synchronized {
      val limit = clock.getTimeMillis() - idleTimeout.toMillis
      val idle = entries.filter { case (_, entry) => entry.users == 0 && entry.idleSince <= limit }
      entries --= idle.keys
      idle.values.map(_.producer).toList
    }
    idle.foreach(_.close())
  }

  /** Closes all, also what is lent. */
  override def close(): Unit = {
    val all = synchronized {
      val all = entries.values.map(_.producer).toList
      entries.clear()
      closed = true
      all
    }
    all.foreach(_.close())
  }

  private[eventhubs] def producer(entry: ProducerPool.Entry): EventHubsProducer = synchronized(entry.producer)

  /** Puts a new producer in the place of `dead` for all its users, unless another user has done so before. */
  private[eventhubs] def replace(
      settings: ConnectionSettings,
      entry: ProducerPool.Entry,
      dead: EventHubsProducer
  ): Unit = {
    val isCurrent = synchronized {
      val isCurrent = entry.producer eq dead
      if (isCurrent && !closed) entry.producer = open(settings)
      isCurrent
    }
    if (isCurrent) dead.close()
  }

  private[eventhubs] def giveBack(entry: ProducerPool.Entry): Unit = synchronized {
    entry.users -= 1
    entry.idleSince = clock.getTimeMillis()
  }

  private[eventhubs] def partitionIds(
      entry: ProducerPool.Entry,
      refresh: Boolean
  ): CompletableFuture[IndexedSeq[String]] =
    synchronized {
      val oldest = clock.getTimeMillis() - ProducerPool.PartitionIdsMaxAge.toMillis
      if (refresh || entry.idsAsked <= oldest || entry.ids.isCompletedExceptionally) {
        entry.ids = entry.producer.partitionIds()
        entry.idsAsked = clock.getTimeMillis()
      }
      entry.ids
    }
}

private[spark] object ProducerPool {

  /** A hub may grow while it is written to; one question a minute and JVM is far from the service's limit. */
  private val PartitionIdsMaxAge = Duration.ofMinutes(1)

  /** Guarded by its pool. */
  private[eventhubs] final class Entry(var producer: EventHubsProducer, clock: Clock) {
    var users = 0
    var idleSince: Long = clock.getTimeMillis()
    var ids: CompletableFuture[IndexedSeq[String]] = new CompletableFuture
    var idsAsked: Long = Long.MinValue

    /** Batches of all users that the service has accepted; not guarded. */
    val accepted = new AtomicLong
  }
}
