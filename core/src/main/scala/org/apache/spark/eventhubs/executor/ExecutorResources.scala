package org.apache.spark.eventhubs.executor

import java.time.Duration
import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import org.apache.spark.eventhubs.connection.{
  AzureEventHubsClient,
  ClientConnectionPool,
  EventHubsClient,
  EventHubsProducer,
  EventHubsProducerClient,
  PartitionBounds,
  ProducerPool
}
import org.apache.spark.eventhubs.generation.{HubGeneration, VerifiedGenerations}
import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.receive.{ReceiverCache, ReplayCache}
import org.apache.spark.internal.Logging
import org.apache.spark.util.{Clock, SystemClock}

/**
 * Everything that this JVM keeps open between tasks: receivers and the connections under them, and producers. Idle ones
 * are closed in the background. And what its tasks do together or in turn, so as not to ask too much of the service.
 */
final class ExecutorResources(
    newClient: ConnectionSettings => EventHubsClient,
    newProducer: ConnectionSettings => EventHubsProducer,
    clock: Clock
) extends AutoCloseable {

  val clients = new ClientConnectionPool(newClient, clock)
  val receivers = new ReceiverCache(clients, clock)
  val verifiedGenerations = new VerifiedGenerations
  val replays = new ReplayCache(clock)

  /** The generation of a hub and the retained range of each of its partitions. */
  val hubStates = new SingleFlight[ConnectionSettings, (HubGeneration.CreatedAt, Map[Int, PartitionBounds])]
  val readBackLocks = new PartitionLocks
  val producers = new ProducerPool(newProducer, ExecutorResources.IdleProducer, clock)

  /** Closes what has been idle for too long. */
  def evictIdle(): Unit = {
    receivers.evictIdle()
    clients.evictIdle(ExecutorResources.IdleConnectionMillis)
    producers.evictIdle()
    replays.evictIdle(ExecutorResources.IdleReplayMillis)
  }

  override def close(): Unit = {
    receivers.close()
    clients.close()
    producers.close()
    replays.clear()
  }
}

/** The one registry of a JVM: the driver's or an executor's. */
object ExecutorResources extends Logging {

  private val EvictEverySeconds = 30L
  private val IdleConnectionMillis = 60000L

  /** A second pass follows soon, or not at all. */
  private val IdleReplayMillis = 600000L

  /** Longer than most triggers are apart: a producer costs a connection and is not bound to a partition. */
  private val IdleProducer = Duration.ofMinutes(10)

  lazy val get: ExecutorResources = {
    val resources = new ExecutorResources(new AzureEventHubsClient(_), EventHubsProducerClient.open, new SystemClock)
    val evictor = daemon()
    evictor.scheduleWithFixedDelay(() => evict(resources), EvictEverySeconds, EvictEverySeconds, TimeUnit.SECONDS)
    sys.addShutdownHook {
      evictor.shutdownNow()
      resources.close()
    }
    resources
  }

  private def evict(resources: ExecutorResources): Unit =
    try resources.evictIdle()
    catch { case failed: Exception => logWarning("Closing idle receivers failed; trying again later", failed) }

  private def daemon(): ScheduledExecutorService =
    Executors.newSingleThreadScheduledExecutor { work =>
      val thread = new Thread(work, "eventhubs-idle-evictor")
      thread.setDaemon(true)
      thread
    }
}
