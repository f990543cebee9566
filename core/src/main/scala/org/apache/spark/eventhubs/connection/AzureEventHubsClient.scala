package org.apache.spark.eventhubs.connection

import java.time.temporal.ChronoUnit
import java.time.{Duration, Instant}
import java.util.concurrent.{ExecutionException, TimeUnit, TimeoutException}
import java.util.{List => JavaList}

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.AmqpEndpointState
import com.azure.messaging.eventhubs.models.{EventPosition => SdkPosition, ReceiveOptions}
import com.azure.messaging.eventhubs.{AmqpConnection, EventHubProperties, InclusiveOffset, PartitionProperties}
import reactor.core.CoreSubscriber
import reactor.core.publisher.{Flux, Mono}
import reactor.util.retry.Retry

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ConnectionSettings

/** An [[EventHubsClient]] over the Azure SDK. */
private[spark] final class AzureEventHubsClient(settings: ConnectionSettings) extends EventHubsClient {

  import AzureEventHubsClient._

  private val connection = new AmqpConnection(SdkBuilders(settings), settings.hub.name)

  override def hubProperties(): HubProperties = hub(await(connection.properties, "asking for the hub's properties"))

  override def partitionBounds(partitionIds: Seq[Int]): Map[Int, PartitionBounds] =
    bounds(await(states(partitionIds), AskingForStates))

  override def hubState(partitionIds: Seq[Int]): (HubProperties, Map[Int, PartitionBounds]) = {
    val both = await(Mono.zip(connection.properties, states(partitionIds)), AskingForStates)
    (hub(both.getT1), bounds(both.getT2))
  }

  private def states(partitionIds: Seq[Int]): Mono[JavaList[PartitionProperties]] = {
    val ids = partitionIds.map(_.toString)
    (if (settings.developmentEmulator) Flux.fromIterable(ids.asJava) else ManagementRateLimiter.spread(ids))
      .flatMap(id => connection.properties(id), ConcurrentManagementCalls)
      .collectList()
  }

  override def firstSequenceNumber(
      consumerGroup: String,
      partitionId: Int,
      position: EventPosition,
      ownerLevel: Option[Long],
      timeout: Duration
  ): Option[Long] = {
    val first = connection
      .messages(consumerGroup, partitionId.toString, sdkPosition(position), receiveOptions(ownerLevel))
      .take(1)
      .next()
      .map[java.lang.Long] { message =>
        val event = new ReceivedEvent
        event.set(message)
        event.sequenceNumber
      }
      // A link ends without an error when its connection is lost, so only the timeout means that there is no event.
      .switchIfEmpty(connectionLost[java.lang.Long])
    val attempts = new Attempts
    val doing = s"looking for the start of partition $partitionId in consumer group $consumerGroup"
    Option(await(attempts(first).timeout(timeout, Mono.empty[java.lang.Long]()), attempts, doing)).map(_.toLong)
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
    val attempts = new Attempts
    val doing = s"trying to read partition $partitionId in consumer group $consumerGroup"
    await(attempts(admitted).timeout(timeout, Mono.empty[AmqpEndpointState]()), attempts, doing)
    ()
  }

  override def subscribe(link: ReceiveLink, reader: CoreSubscriber[Array[Byte]]): Unit =
    connection
      .messages(
        link.consumerGroup,
        link.partitionId.toString,
        SdkPosition.fromSequenceNumber(link.fromSeqNo, true),
        receiveOptions(link.ownerLevel)
      )
      .subscribe(reader)

  override def close(): Unit = connection.close()

  private def await[A](call: Mono[A], doing: String): A = {
    val attempts = new Attempts
    await(attempts(call), attempts, doing)
  }

  /**
   * Uses a future, because it throws InterruptedException when interrupted, as Spark expects of a task; `block()` does
   * not.
   */
  private def await[A](call: Mono[A], attempts: Attempts, doing: String): A = {
    val future = connection.own(call).toFuture
    try future.get(settings.operationTimeout.toMillis, TimeUnit.MILLISECONDS)
    catch {
      case _: TimeoutException =>
        val waited = new TimeoutException(s"none within ${settings.operationTimeout.toSeconds} s")
        val cause = attempts.lastFailure.getOrElse(waited)
        throw SdkErrors.translate(cause, settings.hub, doing)
      case failed: ExecutionException => throw SdkErrors.translate(failed, settings.hub, doing)
    } finally {
      future.cancel(true)
      ()
    }
  }
}

/** Retries a call that may succeed the next time. The SDK does not retry a call whose connection was lost. */
private final class Attempts {

  @volatile var lastFailure: Option[Throwable] = None

  def apply[A](call: Mono[A]): Mono[A] = call.retryWhen(
    Retry
      .backoff(Long.MaxValue, Duration.ofMillis(50))
      .maxBackoff(Duration.ofSeconds(2))
      // Where a partition has all its receivers, one of them will close soon: most serve one task.
      .filter(failed => SdkErrors.isTransient(failed) || SdkErrors.isTooManyReceivers(failed))
      .doBeforeRetry(signal => lastFailure = Some(signal.failure))
  )
}

private object AzureEventHubsClient {

  private val AskingForStates = "asking for the state of its partitions"

  /** Enough to hide the round trips. */
  private val ConcurrentManagementCalls = 8

  private def connectionLost[A]: Mono[A] = Mono.error(() => new IllegalStateException("the connection was lost"))

  private def hub(found: EventHubProperties): HubProperties =
    HubProperties(
      found.getName,
      HubGeneration.CreatedAt(found.getCreatedAt),
      found.getPartitionIds.asScala.map(_.toInt).toSeq.sorted
    )

  private def bounds(found: JavaList[PartitionProperties]): Map[Int, PartitionBounds] =
    found.asScala.map(partition => partition.getId.toInt -> bounds(partition)).toMap

  private def bounds(found: PartitionProperties): PartitionBounds = {
    val latest = found.getLastEnqueuedSequenceNumber + 1
    // An empty partition reports 0, -1 or its next sequence number as its beginning.
    val earliest = if (found.isEmpty) latest else math.max(0L, found.getBeginningSequenceNumber)
    PartitionBounds(earliest, latest, Option(found.getLastEnqueuedOffset).getOrElse(""), found.getLastEnqueuedTime)
  }

  private def receiveOptions(ownerLevel: Option[Long]): ReceiveOptions =
    ownerLevel.foldLeft(new ReceiveOptions)((options, level) => options.setOwnerLevel(level))

  private def upToMillis(time: Instant): Instant = {
    val millis = time.truncatedTo(ChronoUnit.MILLIS)
    if (millis == time) time else millis.plusMillis(1)
  }

  /** The service filters by "later than" in whole milliseconds; an inclusive position is therefore 1 ms earlier. */
  private def sdkPosition(position: EventPosition): SdkPosition = position match {
    case EventPosition.StartOfStream => SdkPosition.earliest()
    case EventPosition.EndOfStream => SdkPosition.latest()
    case EventPosition.AtSequenceNumber(value, inclusive) => SdkPosition.fromSequenceNumber(value, inclusive)
    case EventPosition.AtOffset(value, true) => InclusiveOffset(value)
    case EventPosition.AtOffset(value, false) => SdkPosition.fromOffsetString(value)
    case EventPosition.AtEnqueuedTime(value, true) => SdkPosition.fromEnqueuedTime(upToMillis(value).minusMillis(1))
    case EventPosition.AtEnqueuedTime(value, false) => SdkPosition.fromEnqueuedTime(value)
  }
}
