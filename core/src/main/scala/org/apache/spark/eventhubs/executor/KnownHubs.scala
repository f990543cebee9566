package org.apache.spark.eventhubs.executor

import java.time.Duration
import java.util.concurrent.Executor

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.connection.{ClientConnectionPool, ManagementRateLimiter}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ConnectionSettings, ReadSettings}
import org.apache.spark.eventhubs.service.{HubRules, Known}
import org.apache.spark.util.Clock

/**
 * The hubs that the queries of this JVM read, each as long as a query reads it. Thread-safe.
 *
 * @param background runs routine questions
 */
private[spark] final class KnownHubs(clock: Clock, background: Executor) {

  import KnownHubs._

  private val hubs = mutable.Map.empty[Key, Shared]

  /** The answers about the hub, shared with other readers of the same partitions until [[close]]. */
  def open(settings: ReadSettings): HubAnswers = synchronized {
    val shared = hubs.getOrElseUpdate(
      Key.of(settings),
      new Shared(new HubAnswers(clock, background, HubRules.agreeing(ProofLasts)))
    )
    shared.readers += 1
    shared.answers
  }

  /** A reader of these answers needs them no more. */
  def close(answers: HubAnswers): Unit = synchronized {
    hubs.find(_._2.answers eq answers).foreach { case (key, shared) =>
      shared.readers -= 1
      if (shared.readers == 0) hubs -= key
    }
  }

  /** How long routine questions about all hubs of the namespace take; none limits those to a hub on this machine. */
  def pace(connection: ConnectionSettings): HubAnswers.Pace = {
    val calls =
      synchronized(hubs.collect { case (key, shared) if isSame(key.connection, connection) => shared.answers })
        .map(_.routineCalls).sum
    val roundMillis =
      if (connection.developmentEmulator) 0L else ManagementRateLimiter.routineMillis(math.max(1, calls))
    HubAnswers.Pace(roundMillis, connection.operationTimeout.toMillis)
  }

  /** Events before these numbers exist in this generation of the hub, whoever has received them. */
  def prove(hub: EventHubName, generation: HubGeneration.CreatedAt, ends: Map[Int, Known]): Unit =
    synchronized(hubs.collect { case (key, shared) if key.connection.hub == hub => shared.answers }.toSeq)
      .foreach(_.prove(generation, ends))

  private def isSame(one: ConnectionSettings, other: ConnectionSettings): Boolean =
    one.hub.namespace == other.hub.namespace && one.port == other.port
}

private object KnownHubs {

  /** So long answers must lack events that have come before those count as gone. Answers may lag behind by 30 s. */
  private val ProofLasts = Duration.ofMinutes(1)

  private final class Shared(val answers: HubAnswers) {
    var readers = 0
  }

  /** @param provider the user's class of the credential */
  private final case class Key(connection: ConnectionSettings, provider: Option[Class[_]], partitions: Option[Set[Int]])

  private object Key {
    def of(settings: ReadSettings): Key =
      Key(settings.connection, ClientConnectionPool.providerOf(settings.connection), settings.partitions)
  }
}
