package org.apache.spark.eventhubs.executor

import java.time.Duration
import java.util.concurrent.{ConcurrentHashMap, Executors, ScheduledExecutorService, TimeUnit}

import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.background.BackgroundThreads
import org.apache.spark.eventhubs.connection.{
  AzureEventHubsClient,
  ClientConnectionPool,
  EventHubsClient,
  EventHubsProducer,
  EventHubsProducerClient,
  ManagementRateLimits,
  OutageLog,
  PartitionBounds,
  ProducerPool
}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ConnectionSettings, ReadSettings}
import org.apache.spark.eventhubs.receive.{Announcer, ReceiverCache, ReplayCache}
import org.apache.spark.eventhubs.retry.{CloseEach, MonotonicClock}
import org.apache.spark.internal.Logging
import org.apache.spark.util.{Clock, ShutdownHookManager}

/**
 * Everything that a JVM keeps open between its tasks: receivers with their connections, and producers. Idle ones are
 * closed in the background. Also the caches and locks that its tasks share, which keep the number of calls to the
 * service low.
 */
private[spark] final class ExecutorResources(
    newClient: ConnectionSettings => EventHubsClient,
    newProducer: ConnectionSettings => EventHubsProducer,
    val clock: Clock,
    announcer: Announcer = Announcer.Silent
) extends AutoCloseable {

  val clients = new ClientConnectionPool(newClient, clock)
  val receivers = new ReceiverCache(clients, clock, announcer)
  val verifiedGenerations = new VerifiedGenerations
  val replays = new ReplayCache(clock)

  /**
   * The generation of a hub and, for each partition, the next sequence number, as a consumer group finds it, and the
   * replication epoch, if there is one. The hub has at least the partitions of the key.
   */
  val hubEnds = new SharedQuestions[(String, Set[Int]), (HubGeneration.CreatedAt, Map[Int, Long], Map[Int, Int])]

  /**
   * What a consumer group finds after the next sequence numbers of partitions, or of all, with the stamps of a tag: the
   * generation of the hub, the partitions' ends, why some events are unknown, and for each batch, as its task,
   * attempt and number, how many events it has.
   */
  val batchesSince = new SharedQuestions[
    (String, Option[Set[Int]], Long, HubGeneration.CreatedAt, Map[Int, Long]),
    (HubGeneration.CreatedAt, Map[Int, Long], Option[String], Map[(Int, Int, Int), Int])
  ]

  /** The hubs and consumer groups of which the log has said that a reader with an owner level has a partition. */
  val ownedGroups: java.util.Set[(EventHubName, String)] = ConcurrentHashMap.newKeySet[(EventHubName, String)]()

  /** The estimated bytes of tables by their settings, which all scans of a query share; None where they are unknown. */
  val readSizes = new FreshAnswers[ReadSettings, Option[Long]](ExecutorResources.FreshSizeMillis, maxKeys = 100, clock)

  /** The generation of a hub. */
  val generations = new SharedQuestions[Unit, HubGeneration.CreatedAt]

  /** Schemas of the registries that this JVM's queries use. */
  val schemas = new KnownSchemas(clock)

  /** What a partition retains. */
  val retained = new SharedQuestions[Int, PartitionBounds]
  val readBackLocks = new PartitionLocks
  val sendingTasks = new SendingTasks
  val writeRuns = new WriteRuns
  val producers = new ProducerPool(newProducer, ExecutorResources.IdleProducer, clock)

  /** Threads that send for tasks which wait for rows. */
  val background = new BackgroundThreads

  val questionThreads = new QuestionThreads

  /** The hubs that the streams of this driver read. */
  val knownHubs = new KnownHubs(clock, questionThreads.routine)

  /** Closes what has been idle longer than its timeout. */
  def evictIdle(): Unit = CloseEach.steps(
    () => receivers.evictIdle(),
    () => clients.evictIdle(ExecutorResources.IdleConnectionMillis),
    () => producers.evictIdle(),
    () => replays.evictIdle(ExecutorResources.IdleReplayMillis)
  )

  override def close(): Unit = CloseEach.steps(
    () => closeLinks(),
    () => clients.close(),
    () => background.close(),
    () => questionThreads.close(),
    () => replays.clear()
  )

  /**
   * Returns the links of receivers and senders to the service. At the end of the JVM its connections stay open: threads
   * of queries may still ask over them, and would report errors without.
   */
  def closeLinks(): Unit = CloseEach.steps(() => receivers.close(), () => producers.close())
}

/** The resources of this JVM, a driver or an executor. */
private[spark] object ExecutorResources extends Logging {

  private val EvictEverySeconds = 10L
  private val IdleConnectionMillis = 60000L

  /** Spark asks several times for one query. */
  private val FreshSizeMillis = 60000L

  /** A second read of the same events follows soon or never. */
  private val IdleReplayMillis = 600000L

  /** Longer than most trigger intervals. A producer costs one connection and serves all partitions. */
  private val IdleProducer = Duration.ofMinutes(10)

  /** After Spark's context has stopped its tasks, which would fail without their links. */
  private val ClosePriority = ShutdownHookManager.SPARK_CONTEXT_SHUTDOWN_PRIORITY - 10

  /** Between this JVM and the driver, which may be the same. */
  lazy val driverLink: DriverLink = new DriverLink(get.knownHubs, new MonotonicClock)

  lazy val get: ExecutorResources = {
    val clock = new MonotonicClock
    val limits = new ManagementRateLimits(clock)
    val outages = new OutageLog(clock)
    val resources = new ExecutorResources(
      settings => new AzureEventHubsClient(settings, limits.of(settings), outages),
      settings => EventHubsProducerClient.paced(settings, limits.of(settings)),
      clock,
      announcer()
    )
    val evictor = daemon("eventhubs-idle-evictor")
    evictor.scheduleWithFixedDelay(() => evict(resources), EvictEverySeconds, EvictEverySeconds, TimeUnit.SECONDS)
    ShutdownHookManager.addShutdownHook(ClosePriority) { () =>
      evictor.shutdownNow()
      resources.closeLinks()
    }
    resources
  }

  /** Also after an Error, such as that of a machine without a free thread: a failed run would be the evictor's last. */
  private[eventhubs] def evict(resources: ExecutorResources): Unit =
    try resources.evictIdle()
    catch {
      case failed @ (NonFatal(_) | _: InterruptedException | _: OutOfMemoryError | _: LinkageError) =>
        logWarning("Closing idle resources failed; the next attempt follows", failed)
    }

  private def announcer(): Announcer = {
    val thread = daemon("eventhubs-announcer")
    new Announcer(
      proofs => driverLink.send(proofs),
      (millis, work) => {
        val _ = thread.schedule(work, millis, TimeUnit.MILLISECONDS)
      }
    )
  }

  private def daemon(name: String): ScheduledExecutorService =
    Executors.newSingleThreadScheduledExecutor { work =>
      val thread = new Thread(work, name)
      thread.setDaemon(true)
      thread
    }
}
