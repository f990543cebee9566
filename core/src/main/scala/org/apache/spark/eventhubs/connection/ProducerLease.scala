package org.apache.spark.eventhubs.connection

import java.util.concurrent.CompletableFuture
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}

/** A borrowed producer, until `close()`. Read [[producer]] at each use: another borrower may have replaced it. */
private[spark] final class ProducerLease private[eventhubs] (
    pool: ProducerPool,
    settings: ConnectionSettings,
    entry: ProducerPool.Entry
) extends AutoCloseable {

  private val closed = new AtomicBoolean

  def hub: EventHubName = settings.hub

  def producer: EventHubsProducer = pool.producer(entry)

  /** Aborts `dead`: nothing that waits in it is sent. From now on [[producer]] is a new one. */
  def replace(dead: EventHubsProducer): Unit = pool.replace(settings, entry, dead)

  /** @param doing what was done, as it reads after "while": `asking for its partitions` */
  def failure(error: Throwable, doing: String): EventHubsException = SdkErrors.translate(error, settings, doing)

  /** Ids of the hub's partitions: at most a minute old, or requested now with `refresh`. */
  def partitionIds(refresh: Boolean): CompletableFuture[IndexedSeq[String]] = pool.partitionIds(entry, refresh)

  /** Number of batches that the service has accepted from all borrowers of this producer. */
  def accepted: Long = entry.accepted.get

  def countAccepted(): Unit = { entry.accepted.incrementAndGet(); () }

  override def close(): Unit = if (closed.compareAndSet(false, true)) pool.release(entry)
}
