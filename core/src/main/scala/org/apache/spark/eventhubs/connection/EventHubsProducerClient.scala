package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.CompletableFuture

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.{AmqpRetryMode, AmqpRetryOptions}
import com.azure.messaging.eventhubs.{AmqpConnection, IdempotentSendLink, ProducerClaim, ProducerGrant}

import org.apache.spark.eventhubs.options.WriteDestination.ToPartition
import org.apache.spark.eventhubs.options.{ConnectionSettings, WriteDestination}

/**
 * Sends over one AMQP connection of the SDK, with one link for the hub and one for each partition written to.
 *
 * @param limiter spreads the questions of this JVM about the namespace
 * @param within  limits each question, which is asked again in this time
 */
private[spark] final class EventHubsProducerClient(
    connection: AmqpConnection,
    limiter: Option[ManagementRateLimiter],
    within: Duration
) extends EventHubsProducer {

  override def partitionIds(): CompletableFuture[IndexedSeq[String]] =
    new Attempts(within, limiter)
      .answer(connection.properties(_))
      .toFuture
      .thenApply(_.getPartitionIds.asScala.toIndexedSeq)

  override def newBatch(destination: WriteDestination, maxBytes: Option[Int]): CompletableFuture[EventBatch] =
    connection.maxMessageBytes(partition(destination)).toFuture.thenApply { link =>
      new AmqpEventBatch(destination, batchBytes(link, maxBytes))
    }

  override def send(batch: EventBatch): CompletableFuture[Unit] = {
    val ours = own(batch)
    connection.send(partition(ours.destination), ours.array, ours.bytes).toFuture.thenApply(_ => ())
  }

  override def openIdempotent(
      partition: ToPartition,
      claim: ProducerClaim
  ): CompletableFuture[Option[IdempotentLink]] =
    connection.openIdempotent(partition.id, claim).toFuture.thenApply { link =>
      if (link.grant.isEmpty) link.close()
      link.grant.map(new OpenIdempotentLink(partition, link, _))
    }

  private final class OpenIdempotentLink(
      partition: ToPartition,
      link: IdempotentSendLink,
      override val grant: ProducerGrant
  ) extends IdempotentLink {

    override def newBatch(maxBytes: Option[Int]): EventBatch =
      new AmqpEventBatch(partition, batchBytes(link.maxMessageBytes, maxBytes), isNumbered = true)

    override def send(batch: EventBatch): CompletableFuture[Unit] =
      link.send(own(batch).array, batch.bytes).toFuture.thenApply(_ => ())

    override def close(): Unit = link.close()
  }

  /** Returns the size of a batch. It leaves a 64th of the link's limit for what the service adds, as the SDK does. */
  private def batchBytes(linkBytes: Int, maxBytes: Option[Int]): Int = {
    val most = linkBytes - linkBytes / 64
    maxBytes.fold(most)(math.min(_, most))
  }

  private def own(batch: EventBatch): AmqpEventBatch = batch match {
    case ours: AmqpEventBatch => ours
    case other => throw new IllegalArgumentException(s"a batch of another producer: ${other.getClass.getName}")
  }

  override def close(): Unit = connection.close()

  override def abort(): Unit = connection.abort()

  private def partition(destination: WriteDestination): Option[String] = destination match {
    case WriteDestination.ToPartition(id) => Some(id)
    case WriteDestination.ByKey(_) | WriteDestination.AnyPartition => None
  }
}

private[spark] object EventHubsProducerClient {

  def open(settings: ConnectionSettings): EventHubsProducerClient = connect(settings, None)

  /** A client whose questions share the pace of this JVM. */
  def paced(settings: ConnectionSettings, limiter: ManagementRateLimiter): EventHubsProducerClient =
    connect(settings, Some(limiter))

  private def connect(settings: ConnectionSettings, limiter: Option[ManagementRateLimiter]) =
    new EventHubsProducerClient(
      new AmqpConnection(
        SdkBuilders(settings).retryOptions(oneAttempt(settings)),
        settings.hub.name,
        SdkBuilders.trust(settings)
      ),
      limiter,
      attemptTime(settings)
    )

  /**
   * Switches the SDK's own retries off: they wait at least 4 seconds even when only a link was dropped, hide
   * throttling, and may overtake each other. The delay still applies to opening a connection, which the SDK retries
   * until the attempt's time is over.
   */
  private def oneAttempt(settings: ConnectionSettings): AmqpRetryOptions = new AmqpRetryOptions()
    .setMaxRetries(0)
    .setMode(AmqpRetryMode.FIXED)
    .setDelay(Duration.ofMillis(500))
    .setTryTimeout(attemptTime(settings))

  /** The SDK ends each operation after this time, the opening of a connection and of a link included. */
  def attemptTime(settings: ConnectionSettings): Duration = {
    val perAttempt = settings.operationTimeout.dividedBy(settings.maxRetries + 1L)
    if (perAttempt.compareTo(MinAttemptTime) < 0) MinAttemptTime else perAttempt
  }

  private val MinAttemptTime = Duration.ofSeconds(1)
}
