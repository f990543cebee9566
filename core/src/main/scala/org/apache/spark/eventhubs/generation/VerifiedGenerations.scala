package org.apache.spark.eventhubs.generation

import org.apache.spark.eventhubs.options.ConnectionSettings

import java.time.Instant

import scala.collection.mutable


/**
 * Until when the hubs that are read here are known to have been the ones that their ranges were planned for, so that not
 * each of many new links has to ask the service, which allows few such questions.
 *
 * An event was enqueued before it came, and the service was asked after that. So a link that brings an event no younger than
 * that one goes to the same hub: those of another one are enqueued after it was made. This holds as long as the service's
 * clocks differ by less than it takes to delete a hub and to make it anew.
 */
private[eventhubs] final class VerifiedGenerations {

  // The oldest go first.
  private val enqueuedMillis = mutable.LinkedHashMap.empty[(ConnectionSettings, Instant), Long]

  /** Whether an event of that time, if of a hub of this name, can only be of the one that was created at `created`. */
  def cover(connection: ConnectionSettings, created: Instant, enqueued: Long): Boolean =
    synchronized(enqueuedMillis.get((connection, created)).exists(enqueued <= _))

  /** An event of that time had come when the service said that the hub was the one created at `created`. */
  def confirm(connection: ConnectionSettings, created: Instant, enqueued: Long): Unit = synchronized {
    val hub = (connection, created)
    val latest = enqueuedMillis.remove(hub).fold(enqueued)(math.max(_, enqueued))
    enqueuedMillis.put(hub, latest)
    if (enqueuedMillis.size > VerifiedGenerations.MostHubs) enqueuedMillis.subtractOne(enqueuedMillis.head._1)
    ()
  }
}

private object VerifiedGenerations {

  /** Of one that is forgotten the service is asked again. */
  private val MostHubs = 100
}
