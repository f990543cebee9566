package org.apache.spark.eventhubs.connection

import scala.collection.mutable

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.util.Clock

/**
 * The AMQP connections of one JVM. The SDK runs a connection on one thread, so each receiver gets its own until there
 * are `maxConnections` for its settings; after that, receivers share the least loaded one. Equal settings include the
 * credential: no query uses another's.
 */
private[spark] final class ClientConnectionPool(newClient: ConnectionSettings => EventHubsClient, clock: Clock)
    extends AutoCloseable {

  import ClientConnectionPool._

  private val clients = mutable.Map.empty[ConnectionSettings, List[PooledClient]]
  private var closed = false

  /** Lends a client. The borrower returns it with `ClientLease.close()`. */
  def borrow(settings: ConnectionSettings, maxConnections: Int): ClientLease = synchronized {
    if (closed) throw new IllegalStateException("the connection pool is closed: this JVM is shutting down")
    val open = clients.getOrElse(settings, Nil)
    val chosen = open.find(_.users == 0) match {
      case Some(idle) => idle
      case None if open.length < maxConnections => add(settings)
      case None => open.minBy(_.users)
    }
    chosen.users += 1
    new ClientLease(chosen.client, () => release(chosen))
  }

  /** Closes the clients that have been idle for at least `idleMillis`. */
  def evictIdle(idleMillis: Long): Unit = {
    val idle = synchronized {
      val deadline = clock.getTimeMillis() - idleMillis
      val evicted =
        clients.values.flatten.filter(pooled => pooled.users == 0 && pooled.lastUsedMillis <= deadline).toSet
      clients.mapValuesInPlace((_, open) => open.filterNot(evicted)).filterInPlace((_, open) => open.nonEmpty)
      evicted
    }
    idle.foreach(_.client.close())
  }

  /** Number of open connections, in use or idle. */
  def size: Int = synchronized(clients.values.map(_.length).sum)

  override def close(): Unit = {
    val all = synchronized {
      closed = true
      val open = clients.values.flatten.toList
      clients.clear()
      open
    }
    all.foreach(_.client.close())
  }

  private def add(settings: ConnectionSettings): PooledClient = {
    val pooled = new PooledClient(newClient(settings))
    clients(settings) = pooled :: clients.getOrElse(settings, Nil)
    pooled
  }

  private def release(pooled: PooledClient): Unit = synchronized {
    pooled.users -= 1
    pooled.lastUsedMillis = clock.getTimeMillis()
  }
}

private[spark] object ClientConnectionPool {
  private final class PooledClient(val client: EventHubsClient) {
    var users = 0
    var lastUsedMillis = 0L
  }
}

/** A borrowed client. Closing the lease returns the client, once. */
private[spark] final class ClientLease(val client: EventHubsClient, release: () => Unit) extends AutoCloseable {
  private var open = true

  override def close(): Unit = {
    val first = synchronized {
      val was = open
      open = false
      was
    }
    if (first) release()
  }
}
