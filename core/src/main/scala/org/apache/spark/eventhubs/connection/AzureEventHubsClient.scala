package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit, TimeoutException}
import java.util.{List => JavaList}

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.AmqpEndpointState
import com.azure.messaging.eventhubs.models.{EventPosition => SdkPosition, ReceiveOptions}
import com.azure.messaging.eventhubs.{AmqpConnection, EventHubProperties, PartitionProperties}
import reactor.core.CoreSubscriber
import reactor.core.publisher.{Flux, Mono}

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.amqp.{ReceivedEvent, ReplicatedOffset}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.retry.MonotonicClock
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException, EventPosition}

/**
 * An [[EventHubsClient]] over the Azure SDK.
 *
 * @param limiter spreads the questions of this JVM about the namespace
 * @param outages says in the log that the hub does not answer
 */
private[spark] final class AzureEventHubsClient(
    settings: ConnectionSettings,
    limiter: ManagementRateLimiter,
    outages: OutageLog
) extends EventHubsClient {

  import AzureEventHubsClient._

  /** A client that shares its pace with no other. */
  def this(settings: ConnectionSettings) =
    this(settings, new ManagementRateLimits(new MonotonicClock).of(settings), new OutageLog(new MonotonicClock))

  private val connection = new AmqpConnection(SdkBuilders(settings), settings.hub.name, SdkBuilders.trust(settings))
  private val lookup = new FirstEventLookup(connection, settings.operationTimeout)

  override def hubProperties(): HubProperties = hubProperties(Never)

  override def hubProperties(abandoned: () => Boolean): HubProperties =
    hub(ask("asking for the hub's properties", abandoned)(_.answer(connection.properties(_))))

  override def partitionBounds(partitionIds: Seq[Int]): Map[Int, PartitionBounds] = partitionBounds(partitionIds, Never)

  override def partitionBounds(partitionIds: Seq[Int], abandoned: () => Boolean): Map[Int, PartitionBounds] =
    withEpochs(ask(AskingForStates, abandoned)(states(partitionIds, _)))

  override def hubState(partitionIds: Seq[Int]): (HubProperties, Map[Int, PartitionBounds]) =
    hubState(partitionIds, Never)

  override def hubState(
      partitionIds: Seq[Int],
      abandoned: () => Boolean
  ): (HubProperties, Map[Int, PartitionBounds]) = hubState(partitionIds, abandoned, isRoutine = false)

  override def routineState(
      partitionIds: Seq[Int],
      abandoned: () => Boolean
  ): (HubProperties, Map[Int, PartitionBounds]) = hubState(partitionIds, abandoned, isRoutine = true)

  private def hubState(
      partitionIds: Seq[Int],
      abandoned: () => Boolean,
      isRoutine: Boolean
  ): (HubProperties, Map[Int, PartitionBounds]) = {
    val both = ask(AskingForStates, abandoned, isRoutine)(questions =>
      Mono.zip(
        questions.answer(connection.properties(_)),
        if (isRoutine) answeredStates(partitionIds, questions) else states(partitionIds, questions)
      )
    )
    (hub(both.getT1), withEpochs(both.getT2))
  }

  @volatile private var partitions = Seq.empty[Int]

  override def knownPartitions: Seq[Int] = partitions

  private def hub(answer: EventHubProperties): HubProperties = {
    val found = hubOf(answer)
    partitions = found.partitionIds
    found
  }

  private def withEpochs(found: JavaList[PartitionProperties]): Map[Int, PartitionBounds] = found.asScala.map {
    partition => partition.getId.toInt -> bounds(partition, connection.epochOf(partition))
  }.toMap

  private def states(partitionIds: Seq[Int], questions: Attempts): Mono[JavaList[PartitionProperties]] =
    Flux.fromIterable(partitionIds.map(_.toString).asJava)
      .flatMap(id => state(id, questions), ConcurrentManagementCalls)
      .collectList()

  /** The states of those partitions that answer. Fails when none does, and when a partition is not there. */
  private def answeredStates(partitionIds: Seq[Int], questions: Attempts): Mono[JavaList[PartitionProperties]] =
    Flux.fromIterable(partitionIds.map(_.toString).asJava)
      .flatMap(id => state(id, questions).materialize(), ConcurrentManagementCalls)
      .collectList()
      .flatMap { results =>
        val answers = results.asScala.flatMap(result => Option(result.get))
        val failures = results.asScala.flatMap(result => Option(result.getThrowable))
        val failed = failures.find(!mayPass(_)).orElse(failures.headOption.filter(_ => answers.isEmpty))
        failed.fold(Mono.just(answers.asJava))(error => Mono.error(error))
      }

  private def mayPass(failed: Throwable): Boolean = failed match {
    case known: EventHubsException => known.condition.mayPass
    case _ => false
  }

  /** The failure names the partition, which may be the only one that is down. */
  private def state(id: String, questions: Attempts): Mono[PartitionProperties] =
    questions.answer(connection.properties(id, _)).onErrorMap { (failed: Throwable) =>
      val doing = s"asking for the state of partition $id"
      val known = SdkErrors.translate(failed, settings, doing)
      if (known.condition.mayBeOnePartition) SdkErrors.translate(failed, settings, doing + LeaveOut) else known
    }

  override def firstSequenceNumber(
      consumerGroup: String,
      partitionId: Int,
      position: EventPosition,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Long]
  ): Option[Long] =
    try
      firstOf[java.lang.Long](consumerGroup, partitionId, position, ownerLevel, timeout, whenEmpty.map(Long.box)) {
        event =>
          event.sequenceNumber
      }.map(_.toLong)
    catch {
      case refused: EventHubsException if SdkErrors.isReplicatedOffsetError(refused) =>
        throw EventHubsErrors.offsetOfReplicatedHub(settings.hub, partitionId, position, Some(refused))
    }

  override def epochAt(
      consumerGroup: String,
      partitionId: Int,
      seqNo: Long,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Int]
  ): Option[Int] = {
    val position = EventPosition.AtSequenceNumber(seqNo, inclusive = true)
    val none = whenEmpty.map(Int.box)
    firstOf[java.lang.Integer](consumerGroup, partitionId, position, ownerLevel, timeout, none)(_.epoch).map(_.toInt)
  }

  /** What `of` returns of the first event or, when the service says that there is none, `whenEmpty`. */
  private def firstOf[A <: AnyRef](
      consumerGroup: String,
      partitionId: Int,
      position: EventPosition,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[A]
  )(of: ReceivedEvent => A): Option[A] = {
    val first = lookup(consumerGroup, partitionId, position, ownerLevel, whenEmpty)(of)
    val attempts = new Attempts(Seq(timeout, settings.operationTimeout).min)
    val doing = s"looking for the start of partition $partitionId in consumer group $consumerGroup"
    val found = attempts(first)(_.fold(Mono.empty[A]())(Mono.error[A](_)))
    Option(await(found, attempts, doing, Never))
  }

  override def checkReading(
      consumerGroup: String,
      partitionId: Int,
      ownerLevel: Option[Long],
      timeout: Duration
  ): Unit = {
    val admitted = connection
      .admitted(consumerGroup, partitionId.toString, receiveOptions(ownerLevel))
      .switchIfEmpty(connectionLost[AmqpEndpointState])
      // The service reports a full partition only to a caller that may read it. Tasks wait for a free receiver.
      .onErrorResume(
        (failed: Throwable) => SdkErrors.isTooManyReceivers(failed),
        (_: Throwable) => Mono.empty[AmqpEndpointState]()
      )
    val attempts = new Attempts(Seq(timeout, settings.operationTimeout).min)
    val doing = s"trying to read partition $partitionId in consumer group $consumerGroup"
    await(attempts(admitted)(_ => Mono.empty[AmqpEndpointState]()), attempts, doing, Never)
    ()
  }

  override def subscribe(link: ReceiveLink, reader: CoreSubscriber[Array[Byte]]): Unit =
    connection
      .messages(
        link.consumerGroup,
        link.partitionId.toString,
        SdkPosition.fromSequenceNumber(link.fromSeqNo, true),
        receiveOptions(link.ownerLevel),
        link.window,
        link.drain
      )
      .subscribe(reader)

  override def close(): Unit = connection.close()

  /** Asks questions of the management node. Each has the operation timeout of its own, from its first turn on. */
  private def ask[A](doing: String, abandoned: () => Boolean, isRoutine: Boolean = false)(
      call: Attempts => Mono[A]
  ): A = {
    val questions = new Attempts(settings.operationTimeout, Some(limiter), isRoutine = isRoutine)
    await(call(questions), questions, doing, abandoned)
  }

  /**
   * Uses a future, because it throws InterruptedException when interrupted, as Spark expects of a task; `block()` does
   * not. Polls it, because Spark may cancel a task without an interrupt.
   */
  private def await[A](call: Mono[A], attempts: Attempts, doing: String, abandoned: () => Boolean): A = {
    val future = call.toFuture
    val task = Option(TaskContext.get())
    try {
      while (!isDone(future)) {
        if (task.exists(_.isInterrupted())) throw new InterruptedException(s"the task was stopped while $doing")
        if (attempts.isOverdue) throw SdkErrors.translate(attempts.noAnswer, settings, doing)
        if (abandoned()) throw new AbandonedQuestionException(doing)
        if (attempts.isAsking) outages.waiting(settings.hub, doing, attempts.waitingSince, attempts.lastFailure)
      }
      val result = future.get()
      // A call may end without an answer, where the caller continues anyway.
      if (Option(result).isDefined) outages.answered(settings.hub)
      result
    } catch {
      case failed: ExecutionException => throw explained(SdkErrors.translate(failed, settings, doing))
    } finally {
      future.cancel(true)
      ()
    }
  }

  /** The SDK retries until its time is over, and does not say that a proxy or a certificate was the cause. */
  private def explained(failed: EventHubsException): EventHubsException =
    if (!failed.condition.mayLackConnection) failed
    else
      try {
        EndpointProbe.explain(settings)
        failed
      } catch { case known: EventHubsException => known }

  /** Waits for a moment. */
  private def isDone(future: CompletableFuture[_]): Boolean =
    try {
      future.get(PollMillis, TimeUnit.MILLISECONDS)
      true
    } catch {
      case _: TimeoutException => false
      case _: ExecutionException => true
    }
}

private object AzureEventHubsClient {

  private val AskingForStates = "asking for the state of its partitions"

  private val LeaveOut = " (if only this one is down, name the others in 'eventhubs.partitions')"

  /** Enough to hide the round trips. */
  private val ConcurrentManagementCalls = 8

  /** The longest time in which a wait for an answer does not notice that its task was cancelled. */
  private val PollMillis = 20L

  private val Never: () => Boolean = () => false

  private[connection] def connectionLost[A]: Mono[A] =
    Mono.error(() => new IllegalStateException("the connection was lost"))

  private def hubOf(found: EventHubProperties): HubProperties =
    HubProperties(
      found.getName,
      HubGeneration.CreatedAt(found.getCreatedAt),
      found.getPartitionIds.asScala.map(_.toInt).toSeq.sorted
    )

  /** @param epoch as the answer has it; negative in a hub that is not geo-replicated */
  private def bounds(found: PartitionProperties, epoch: Option[Int]): PartitionBounds = {
    val latest = found.getLastEnqueuedSequenceNumber + 1
    // An empty partition reports 0, -1 or its next sequence number as its beginning.
    val earliest = if (found.isEmpty) latest else math.max(0L, found.getBeginningSequenceNumber)
    val offset = Option(found.getLastEnqueuedOffset).getOrElse("")
    val known = epoch.filter(_ >= 0).orElse(ReplicatedOffset.epoch(offset))
    PartitionBounds(earliest, latest, offset, found.getLastEnqueuedTime, known)
  }

  private[connection] def receiveOptions(ownerLevel: Option[Long]): ReceiveOptions =
    ownerLevel.foldLeft(new ReceiveOptions)((options, level) => options.setOwnerLevel(level))
}
