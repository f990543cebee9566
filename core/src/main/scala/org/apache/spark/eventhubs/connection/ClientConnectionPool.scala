package org.apache.spark.eventhubs.connection

import scala.collection.mutable

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.retry.CloseEach
import org.apache.spark.eventhubs.signin.{ClientKey, CreatedOnce}
import org.apache.spark.util.Clock

/**
 * The AMQP connections of one JVM. The SDK runs a connection on one thread, so each receiver gets its own until there
 * are `maxConnections` for its settings; after that, receivers share the least loaded one. Equal settings include the
 * credential and a user's class for it: no query uses another's.
 */
private[spark] final class ClientConnectionPool(newClient: ConnectionSettings => EventHubsClient, clock: Clock)
    extends AutoCloseable {

  import ClientConnectionPool._

  private val clients = mutable.Map.empty[ClientKey, List[PooledClient]]
  private var closed = false

  /**
   * Lends a client. The borrower returns it with `ClientLease.close()`. A new one is created outside of the lock: its
   * credential may take its time, and other borrowers do not wait for it.
   */
  def borrow(settings: ConnectionSettings, maxConnections: Int): ClientLease = {
    val key = ClientKey.of(settings)
    val chosen = synchronized {
      checkOpen()
      val open = clients.getOrElse(key, Nil)
      val chosen = open.find(_.users == 0) match {
        case Some(idle) => idle
        case None if open.length < maxConnections => add(key)
        case None => open.minBy(_.users)
      }
      chosen.users += 1
      chosen
    }
    new ClientLease(created(key, chosen), () => release(chosen))
  }

  private def created(key: ClientKey, pooled: PooledClient): EventHubsClient =
    try {
      val client = pooled.creation.get()
      synchronized {
        // Else nobody would close it.
        if (closed && pooled.made.isEmpty) client.close()
        checkOpen()
        pooled.made = Some(client)
      }
      client
    } catch {
      case failed: Throwable =>
        synchronized {
          pooled.users -= 1
          // Others may still create it, if only this borrower was interrupted.
          if (pooled.creation.hasFailed || pooled.users == 0) {
            val others = clients.getOrElse(key, Nil).filterNot(_ eq pooled)
            if (others.isEmpty) clients -= key else clients(key) = others
          }
        }
        throw failed
    }

  private def checkOpen(): Unit =
    if (closed) throw new IllegalStateException("the connection pool is closed: this JVM is shutting down")

  /** Closes the clients that have been idle for at least `idleMillis`. */
  def evictIdle(idleMillis: Long): Unit = {
    val idle = synchronized {
      val deadline = clock.getTimeMillis() - idleMillis
      val evicted =
        clients.values.flatten.filter(pooled => pooled.users == 0 && pooled.lastUsedMillis <= deadline).toSet
      clients.mapValuesInPlace((_, open) => open.filterNot(evicted)).filterInPlace((_, open) => open.nonEmpty)
      evicted
    }
    CloseEach(idle.toSeq.flatMap(_.made))
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
    CloseEach(all.flatMap(_.made))
  }

  private def add(key: ClientKey): PooledClient = {
    val pooled = new PooledClient(newClient(key.settings))
    clients(key) = pooled :: clients.getOrElse(key, Nil)
    pooled
  }

  private def release(pooled: PooledClient): Unit = synchronized {
    pooled.users -= 1
    pooled.lastUsedMillis = clock.getTimeMillis()
  }
}

private[spark] object ClientConnectionPool {

  /** The user's class that gives the tokens of these connections, as the calling thread sees it. */
  def providerOf(settings: ConnectionSettings): Option[Class[_]] = ClientKey.of(settings).provider

  /** Its fields are guarded by the pool's lock. */
  private final class PooledClient(create: => EventHubsClient) {
    val creation = new CreatedOnce(create)

    /** The client, once it is created. */
    var made = Option.empty[EventHubsClient]
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
