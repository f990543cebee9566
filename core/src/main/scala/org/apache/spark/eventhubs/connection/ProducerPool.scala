package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.retry.CloseEach
import org.apache.spark.eventhubs.signin.{ClientKey, CreatedOnce}
import org.apache.spark.util.Clock

/**
 * The producers of this JVM. Tasks with equal settings share one producer, and so one AMQP connection. It stays open
 * between batches and is closed after `idleTimeout` without a borrower. Safe for use by many threads.
 *
 * @param open  creates a producer
 * @param clock measures how long a producer is idle and how old the known partition ids are
 */
private[spark] final class ProducerPool(
    open: ConnectionSettings => EventHubsProducer,
    idleTimeout: Duration,
    clock: Clock
) extends AutoCloseable {

  private val entries = mutable.HashMap.empty[ClientKey, ProducerPool.Entry]
  private var closed = false

  /** Lends the producer for these settings until the lease is closed. Also closes producers that became idle. */
  def borrow(settings: ConnectionSettings): ProducerLease = {
    val key = ClientKey.of(settings)
    val entry = synchronized {
      checkOpen()
      val entry = entries.getOrElseUpdate(key, new ProducerPool.Entry(open(settings), clock))
      entry.borrowers += 1
      entry
    }
    opened(key, entry)
    evictIdle()
    new ProducerLease(this, settings, entry)
  }

  /** Outside of the lock: a credential may take its time, and other borrowers do not wait for it. */
  private def opened(key: ClientKey, entry: ProducerPool.Entry): Unit =
    try {
      val producer = entry.creation.get()
      synchronized {
        // Else nobody would close it.
        if (closed && entry.current.isEmpty) producer.close()
        checkOpen()
        if (entry.current.isEmpty) entry.current = Some(producer)
      }
    } catch {
      case failed: Throwable =>
        synchronized {
          entry.borrowers -= 1
          // Others may still create it, if only this borrower was interrupted.
          val isUnused = entry.creation.hasFailed || entry.borrowers == 0
          if (isUnused && entries.get(key).contains(entry)) entries -= key
        }
        throw failed
    }

  private def checkOpen(): Unit =
    if (closed) throw new IllegalStateException("the producers of this JVM are closed")

  /** Closes the idle producers. The owner calls it regularly, because `borrow` may not be called again. */
  def evictIdle(): Unit = {
    val idle = synchronized {
      val limit = clock.getTimeMillis() - idleTimeout.toMillis
      val idle = entries.filter { case (_, entry) => entry.borrowers == 0 && entry.idleSinceMillis <= limit }
      entries --= idle.keys
      idle.values.flatMap(_.current).toList
    }
    CloseEach(idle)
  }

  /**
   * Closes the idle producers, and aborts the borrowed ones: their tasks do not get the answers to what waits in them.
   */
  override def close(): Unit = {
    val (borrowed, idle) = synchronized {
      val all = entries.values.toList
      entries.clear()
      closed = true
      all.partition(_.borrowers > 0)
    }
    val aborts = borrowed.flatMap(_.current).map(producer => () => producer.abort())
    CloseEach.steps(aborts :+ (() => CloseEach(idle.flatMap(_.current))): _*)
  }

  private[eventhubs] def producer(entry: ProducerPool.Entry): EventHubsProducer = synchronized(entry.producer)

  /**
   * Aborts `dead` and replaces it for all its borrowers, unless another borrower has done so before. Returns when the
   * abort has ended, whoever began it: from then on nothing that waited in `dead` is sent.
   */
  private[eventhubs] def replace(
      settings: ConnectionSettings,
      entry: ProducerPool.Entry,
      dead: EventHubsProducer
  ): Unit = {
    val isNeeded = synchronized(!closed && (entry.producer eq dead))
    val next: Option[EventHubsProducer] =
      try Option.when(isNeeded)(open(settings))
      catch {
        // What waits in `dead` must not be sent, also when there is no other producer.
        case failed: Throwable =>
          val isFirstToAbort = synchronized(entry.aborting.add(dead))
          abort(entry, dead, isFirstToAbort)
          throw failed
      }
    val isFirst = synchronized {
      val isFirst = (entry.producer eq dead) && entry.aborting.add(dead)
      if (isFirst && !closed) entry.current = next
      isFirst
    }
    next.filterNot(opened => synchronized(entry.current.contains(opened))).foreach(_.close())
    abort(entry, dead, isFirst)
  }

  private def abort(entry: ProducerPool.Entry, dead: EventHubsProducer, isFirst: Boolean): Unit =
    if (isFirst)
      try dead.abort()
      finally aborted(entry, dead)
    else awaitAbort(entry, dead)

  private def aborted(entry: ProducerPool.Entry, dead: EventHubsProducer): Unit = synchronized {
    entry.aborting -= dead
    notifyAll()
  }

  private def awaitAbort(entry: ProducerPool.Entry, dead: EventHubsProducer): Unit = synchronized {
    while (entry.aborting(dead)) wait()
  }

  private[eventhubs] def release(entry: ProducerPool.Entry): Unit = synchronized {
    entry.borrowers -= 1
    entry.idleSinceMillis = clock.getTimeMillis()
  }

  private[eventhubs] def partitionIds(
      entry: ProducerPool.Entry,
      refresh: Boolean
  ): CompletableFuture[IndexedSeq[String]] =
    synchronized {
      val oldest = clock.getTimeMillis() - ProducerPool.PartitionIdsMaxAge.toMillis
      if (refresh || entry.idsRequestedMillis <= oldest || entry.ids.isCompletedExceptionally) {
        entry.ids = entry.producer.partitionIds()
        entry.idsRequestedMillis = clock.getTimeMillis()
      }
      entry.ids
    }
}

private[spark] object ProducerPool {

  /** A hub may get more partitions during a write. One call a minute from each JVM is far below the service's limit. */
  private val PartitionIdsMaxAge = Duration.ofMinutes(1)

  /** Guarded by the pool's lock. */
  private[eventhubs] final class Entry(create: => EventHubsProducer, clock: Clock) {
    val creation = new CreatedOnce(create)

    /** None until it is created. */
    var current = Option.empty[EventHubsProducer]
    var borrowers = 0

    def producer: EventHubsProducer = current.getOrElse(throw new IllegalStateException("the producer is not open yet"))

    /** Replaced producers whose abort has not ended. */
    val aborting = mutable.HashSet.empty[EventHubsProducer]
    var idleSinceMillis: Long = clock.getTimeMillis()
    var ids: CompletableFuture[IndexedSeq[String]] = new CompletableFuture
    var idsRequestedMillis: Long = Long.MinValue

    /** Number of batches that the service has accepted from all borrowers; needs no lock. */
    val accepted = new AtomicLong
  }
}
