package org.apache.spark.eventhubs.executor

import scala.collection.mutable

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ConnectionSettings

/**
 * For each generation of a hub that this JVM reads, the latest enqueued time up to which it is verified. It spares most
 * new links a question to the service, which allows few of them.
 *
 * An event is enqueued before it is received, and the service was asked after that. So a link that brings an event
 * which is not younger leads to the same generation: the events of a later one are enqueued after it was created. This
 * requires that the service's clocks differ by less time than it takes to delete and recreate a hub.
 */
private[eventhubs] final class VerifiedGenerations {

  // Oldest first, for eviction.
  private val enqueuedMillis =
    mutable.LinkedHashMap.empty[(ConnectionSettings, HubGeneration.CreatedAt), Long]

  /** Whether an event that was enqueued at this time can only belong to this generation. */
  def covers(connection: ConnectionSettings, generation: HubGeneration.CreatedAt, enqueued: Long): Boolean =
    synchronized(enqueuedMillis.get((connection, generation)).exists(enqueued <= _))

  /**
   * How the hub differs from this generation, if it does.
   *
   * @param enqueued time of an event that a link to the hub has brought
   * @param asked    asks the service. Not called if the time is covered
   */
  def difference[A](connection: ConnectionSettings, generation: HubGeneration.CreatedAt, enqueued: Long)(
      asked: => Option[A]
  ): Option[A] =
    if (covers(connection, generation, enqueued)) None
    else {
      val found = asked
      if (found.isEmpty) add(connection, generation, enqueued)
      found
    }

  /** Notes that the service reported this generation after an event of that time had arrived. */
  def add(connection: ConnectionSettings, generation: HubGeneration.CreatedAt, enqueued: Long): Unit = synchronized {
    val hub = (connection, generation)
    val latest = enqueuedMillis.remove(hub).fold(enqueued)(math.max(_, enqueued))
    enqueuedMillis.put(hub, latest)
    if (enqueuedMillis.size > VerifiedGenerations.MaxHubs) enqueuedMillis.subtractOne(enqueuedMillis.head._1)
    ()
  }
}

private object VerifiedGenerations {

  /** For an evicted hub the service is asked again. */
  private val MaxHubs = 100
}
